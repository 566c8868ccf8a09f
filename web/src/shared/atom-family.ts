/** One value per key, made once: for atoms that belong to a draw, a list or an order. The keys are few, and none is ever dropped. */
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
