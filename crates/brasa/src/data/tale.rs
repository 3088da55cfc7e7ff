//! Tales told by a small grammar: a text to learn from that needs no file.
use super::Rng;

const WHO: &[&str] = &[
    "the miller",
    "an old ferryman",
    "the clockmaker",
    "a young fox",
    "the widow of the mill",
    "a tailor without thread",
    "the king's cook",
    "a girl with a lantern",
    "the shepherd",
    "a travelling baker",
    "the keeper of the bridge",
    "a crow with one eye",
];
const WHERE: &[&str] = &[
    "at the edge of the forest",
    "beside the grey river",
    "under the stone bridge",
    "in the last house of the village",
    "on the hill behind the church",
    "by the cold sea",
    "between two mountains",
    "in a tower without a door",
];
const WHEN: &[&str] = &[
    "One winter",
    "In the evening",
    "Before the sun rose",
    "On the third day",
    "When the snow fell",
    "After the harvest",
    "At midnight",
    "In those years",
];
const FOUND: &[&str] = &[
    "a golden key",
    "a sack of salt",
    "an empty well",
    "a letter without words",
    "a sleeping horse",
    "a bell that did not ring",
    "seven white stones",
    "a lamp that burned by itself",
    "a door in the ground",
    "a coin with two faces",
];
const DID: &[&str] = &[
    "carried it home",
    "hid it under the bed",
    "showed it to the neighbours",
    "threw it into the river",
    "asked the wind about it",
    "sold it for a loaf of bread",
    "kept it for a year and a day",
    "gave it to a stranger",
];
const SAID: &[&str] = &[
    "What is lost will come back",
    "Nobody asked me",
    "I have walked far enough",
    "Bread is better than gold",
    "The river knows the way",
    "Do not open it before morning",
    "Three things I have seen, and none of them was mine",
    "Whoever waits is not late",
];
const HOW: &[&str] = &[
    "softly",
    "and laughed",
    "without looking up",
    "at last",
    "as if to the fire",
    "and sat down",
];
const END: &[&str] = &[
    "Since then nobody has seen it.",
    "And if the well is not dry, it is there still.",
    "So it was, and so it was told to me.",
    "The next day the snow was gone.",
    "After that they were never hungry again.",
    "Nobody knows what became of the rest.",
];

/// About `len` characters of short tales, always the same for a seed.
pub fn tale(len: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::with_capacity(len + 1000);
    while text.len() < len {
        paragraph(&mut rng, &mut text);
    }
    text
}

fn pick(rng: &mut Rng, list: &[&'static str]) -> &'static str {
    let found: &&str = rng.choose(list);
    found
}

fn paragraph(rng: &mut Rng, text: &mut String) {
    let (who, other) = (pick(rng, WHO), pick(rng, WHO));
    let mut say = |parts: &[&str]| parts.iter().for_each(|part| text.push_str(part));
    say(&["There was ", who, ", who lived ", pick(rng, WHERE), ". "]);
    for _ in 0..1 + rng.below(3) {
        say(&[pick(rng, WHEN), " ", who, " found ", pick(rng, FOUND), ", and "]);
        say(&[pick(rng, DID), ". "]);
        if rng.below(3) > 0 {
            say(&["\"", pick(rng, SAID), ",\" said ", other, " ", pick(rng, HOW), ". "]);
        }
    }
    say(&[pick(rng, END), "\n\n"]);
}
