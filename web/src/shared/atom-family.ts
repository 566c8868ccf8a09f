/** One value per key, made once: for atoms that belong to a draw, a list or an order. The keys are few, and none is ever dropped. */
export function atomFamily<Key extends string | number, Made>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const created = new Map<Key, Made>();
  return (key) => {
    let value = created.get(key);
    if (value === undefined) {
      value = make(key);
      created.set(key, value);
    }
    return value;
  };
}
