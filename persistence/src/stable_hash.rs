//! A hash that is the same in every version of the program.

/// Returns the FNV-1a hash. Unlike the hash of the standard library, it never changes between
/// versions.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
