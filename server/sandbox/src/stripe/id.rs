//! Random ids in Stripe's format.

const ID_ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_RANDOM_CHAR_COUNT: usize = 24;

/// Generates an id: the prefix, an underscore, and 24 random letters and digits.
pub fn generate(prefix: &str) -> String {
    let mut random_bytes = [0_u8; ID_RANDOM_CHAR_COUNT];
    getrandom::fill(&mut random_bytes).expect("the operating system gives random bytes");
    let mut id = String::with_capacity(prefix.len() + 1 + ID_RANDOM_CHAR_COUNT);
    id.push_str(prefix);
    id.push('_');
    id.extend(
        random_bytes
            .iter()
            .map(|byte| char::from(ID_ALPHABET[usize::from(*byte) % ID_ALPHABET.len()])),
    );
    id
}
