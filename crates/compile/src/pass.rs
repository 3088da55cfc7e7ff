//! The names of the passes.

/// A pass, or the recording before the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Not a pass: the graph as it was recorded.
    Recording,
    Simplify,
    Schedule,
    Order,
    Budget,
    Plan,
    Program,
}

impl Pass {
    /// All passes, in order.
    pub const ALL: [Pass; 7] = [
        Pass::Recording,
        Pass::Simplify,
        Pass::Schedule,
        Pass::Order,
        Pass::Budget,
        Pass::Plan,
        Pass::Program,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Pass::Recording => "recording",
            Pass::Simplify => "simplify",
            Pass::Schedule => "schedule",
            Pass::Order => "order",
            Pass::Budget => "budget",
            Pass::Plan => "plan",
            Pass::Program => "program",
        }
    }

    pub fn from_name(name: &str) -> Option<Pass> {
        Pass::ALL.into_iter().find(|pass| pass.name() == name)
    }
}
