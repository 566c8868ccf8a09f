//! A hash that is the same in every version of the program.

/// Returns the FNV-1a hash. The hash of the standard library may change between versions; this one
/// never does.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
