//! One key for each seat, by which it is the same seat after every import of the same file.

use std::collections::{HashMap, HashSet};

use super::{Oddity, Report, finish::Standing};

/// The keys: the file's own id where it is the only one of its kind, else zone, row and label.
pub(super) fn of(standing: &[Standing<'_>], report: &mut Report) -> Vec<String> {
    let mut counts: [HashMap<&str, usize>; 2] = Default::default();
    for Standing { seat, .. } in standing {
        for ((id, counts), oddity) in seat
            .ids
            .iter()
            .zip(&mut counts)
            .zip([Oddity::RepeatedUuid, Oddity::RepeatedGuid])
        {
            let Some(id) = id else { continue };
            let count = counts.entry(id).or_default();
            *count += 1;
            if *count > 1 {
                report.name(oddity, &seat.place, id);
            }
        }
    }
    let mut taken: HashSet<String> = HashSet::new();
    let own: Vec<Option<String>> = standing
        .iter()
        .map(|Standing { seat, .. }| {
            let single = seat.ids.iter().zip(&counts).filter_map(|(id, counts)| {
                id.as_ref().filter(|id| counts.get(id.as_str()) == Some(&1))
            });
            let own = single.into_iter().find(|id| !taken.contains(*id)).cloned();
            taken.extend(own.clone());
            own
        })
        .collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    let described = |Standing {
                         zone, row, seat, ..
                     }: &Standing<'_>| {
        let plain = format!("{zone}/{row}/{}", seat.label);
        let ordinal = next.entry(plain.clone()).or_insert(1);
        loop {
            let key = if *ordinal == 1 {
                plain.clone()
            } else {
                format!("{plain}#{ordinal}")
            };
            *ordinal += 1;
            if taken.insert(key.clone()) {
                return key;
            }
        }
    };
    let mut described = described;
    own.into_iter()
        .zip(standing)
        .map(|(own, seat)| own.unwrap_or_else(|| described(seat)))
        .collect()
}
