//! Packing: assigns arena offsets to spans so that spans that are live at the same time do not
//! overlap.
mod by_time;

use std::cmp::Reverse;

/// Offsets keep whole cache lines and every vector width aligned.
pub(crate) const ALIGN: usize = 64;

/// A piece of the arena that is live from launch `first` to launch `last`.
pub(crate) struct Span {
    pub(crate) home: usize,
    pub(crate) bytes: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// The live bytes at each launch, and after the last.
pub(crate) fn profile(spans: &[Span], launches: usize) -> Vec<usize> {
    let mut change = vec![0isize; launches + 2];
    for span in spans {
        change[span.first] += span.bytes as isize;
        change[span.last + 1] -= span.bytes as isize;
    }
    let mut bytes = 0;
    let mut at = |change: &isize| {
        bytes += change;
        bytes as usize
    };
    change[..=launches].iter().map(&mut at).collect()
}

/// Peak live bytes: a lower bound on the size of the arena.
pub(crate) fn peak(profile: &[usize]) -> usize {
    profile.iter().copied().max().unwrap_or(0)
}

/// Stop when a packing is this close to the lower bound.
const SLACK: f64 = 1.01;
/// Maximum number of span comparisons in the search: about 10 ms.
const MAX_COMPARISONS: usize = 1 << 23;
const MAX_TRIES: usize = 100;
/// More spans than this are packed in order of time, without comparing pairs.
const MAX_SPANS: usize = 1 << 12;

/// An offset for each span, and the size of the arena. First fit: each span gets the lowest offset
/// that is free during its lifetime, largest or longest first. Then repeats with the span that ends
/// last moved to the front, and keeps the best packing. No span crosses a page boundary.
pub(crate) fn pack(spans: &[Span], page: usize) -> (Vec<usize>, usize) {
    if spans.len() > MAX_SPANS {
        return by_time::pack(spans, page);
    }
    let launches = spans.iter().map(|span| span.last).max().unwrap_or(0);
    let good = (SLACK * peak(&profile(spans, launches)) as f64) as usize;
    let tries = (MAX_COMPARISONS / (spans.len() * spans.len()).max(1)).clamp(1, MAX_TRIES);
    let length = |span: &Span| span.last - span.first + 1;
    let by_size = |span: &Span| span.bytes;
    let by_area = |span: &Span| span.bytes.saturating_mul(length(span));
    let keys: [&dyn Fn(&Span) -> usize; 3] = [&by_size, &by_area, &length];
    let mut best = (Vec::new(), usize::MAX);
    for key in keys {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&n| (Reverse(key(&spans[n])), n));
        for _ in 0..tries {
            let (offsets, total) = pack_in_order(spans, &order, page);
            let end = |n: &usize| offsets[*n] + spans[*n].bytes;
            let at = order.iter().position(|n| end(n) == total).unwrap_or(0);
            if total < best.1 {
                best = (offsets, total);
            }
            if best.1 <= good || at == 0 {
                break;
            }
            order[..=at].rotate_right(1);
        }
        if best.1 <= good {
            break;
        }
    }
    best
}

fn pack_in_order(spans: &[Span], order: &[usize], page: usize) -> (Vec<usize>, usize) {
    let (mut offsets, mut total) = (vec![0; spans.len()], 0);
    // Placed spans in order of offset.
    let mut placed: Vec<(usize, usize)> = Vec::with_capacity(spans.len());
    for &n in order {
        let span = &spans[n];
        let mut offset = 0;
        loop {
            for &(start, other) in &placed {
                if start >= offset + span.bytes {
                    break;
                }
                let other = &spans[other];
                let overlap = other.first <= span.last && span.first <= other.last;
                if overlap && start + other.bytes > offset {
                    offset = start + other.bytes;
                }
            }
            let end = (offset / page + 1).saturating_mul(page);
            if offset + span.bytes <= end {
                break;
            }
            offset = end;
        }
        offsets[n] = offset;
        total = total.max(offset + span.bytes);
        let at = placed.partition_point(|other| *other < (offset, n));
        placed.insert(at, (offset, n));
    }
    (offsets, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(bytes: usize, first: usize, last: usize) -> Span {
        Span { home: 0, bytes, first, last }
    }

    #[test]
    fn spans_with_overlapping_lifetimes_do_not_overlap() {
        let spans: Vec<Span> = (0..60)
            .map(|n| span(64 * (1 + n * 7 % 11), n * 13 % 37, n * 13 % 37 + n * 5 % 9))
            .collect();
        let (offsets, total) = pack(&spans, usize::MAX);
        check(&spans, &offsets, total, usize::MAX);
    }

    /// No two spans with overlapping lifetimes share a byte.
    #[track_caller]
    fn check(spans: &[Span], offsets: &[usize], total: usize, page: usize) {
        let end = |n: usize| offsets[n] + spans[n].bytes;
        for a in 0..spans.len() {
            assert!(end(a) <= total);
            assert_eq!(offsets[a] / page, (end(a) - 1) / page, "span {a} crosses a page boundary");
            for b in 0..a {
                let overlap = spans[a].first <= spans[b].last && spans[b].first <= spans[a].last;
                let apart = end(a) <= offsets[b] || end(b) <= offsets[a];
                assert!(!overlap || apart, "spans {a} and {b} overlap");
            }
        }
    }

    /// The result is the best of all tried orders, not the last.
    #[test]
    fn packing_is_at_least_as_good_as_any_single_order() {
        for seed in 0..200 {
            let draw =
                |n: usize, salt: usize| (n * 7919 + seed * 104_729 + salt * 1299) % 1_000_003;
            let spans: Vec<Span> = (0..24)
                .map(|n| {
                    let first = draw(n, 1) % 37;
                    span(64 * (1 + draw(n, 2) % 11), first, first + draw(n, 3) % 9)
                })
                .collect();
            let total = pack(&spans, usize::MAX).1;
            let keys: [&dyn Fn(&Span) -> usize; 2] =
                [&|span: &Span| span.bytes, &|span: &Span| span.last - span.first + 1];
            for key in keys {
                let mut order: Vec<usize> = (0..spans.len()).collect();
                order.sort_by_key(|&n| (Reverse(key(&spans[n])), n));
                let single = pack_in_order(&spans, &order, usize::MAX).1;
                let least = (SLACK * peak(&profile(&spans, 50)) as f64) as usize;
                assert!(total <= single.max(least), "seed {seed}: {total}, {single} by one key");
            }
        }
    }

    #[test]
    fn many_spans_are_packed_in_order_of_time() {
        let bytes = |n: usize| 64 * (1 + n * 7 % 11);
        let first = |n: usize| n * 13 % 997;
        let spans: Vec<Span> =
            (0..2000).map(|n| span(bytes(n), first(n), first(n) + n % 9)).collect();
        for page in [usize::MAX, 2048] {
            let (offsets, total) = by_time::pack(&spans, page);
            check(&spans, &offsets, total, page);
            let least = peak(&profile(&spans, 1010));
            assert!(total <= least * 3 / 2, "{total} bytes, {least} live");
        }
        let many: Vec<Span> = (0..100_000).map(|n| span(256, n, n + 1)).collect();
        assert_eq!(pack(&many, usize::MAX).1, 512, "two are live at the same time");
    }

    #[test]
    fn nested_lifetimes_are_packed_without_gaps() {
        // As in a forward and a backward pass: the first value is read last.
        let spans: Vec<Span> = (0..20).map(|n| span(64 * (n % 4 + 1), n, 40 - n)).collect();
        let least = peak(&profile(&spans, 41));
        assert_eq!(pack(&spans, usize::MAX).1, least);
    }

    #[test]
    fn no_span_crosses_a_page_boundary() {
        let spans: Vec<Span> = (0..30).map(|n| span(64 * (n % 5 + 1), n, n + 9)).collect();
        let (offsets, total) = pack(&spans, 448);
        check(&spans, &offsets, total, 448);
    }
}
