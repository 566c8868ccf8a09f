/**
 * Creates one value per key, for atoms of a draw, a list or an order. Keys are few, so no value is
 * ever removed.
 */
export function family<Key extends string | number, Made>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    let known = made.get(key);
    if (known === undefined) {
      known = make(key);
      made.set(key, known);
    }
    return known;
  };
}
