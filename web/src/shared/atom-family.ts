/**
 * Creates one value per key, for atoms of a draw, a list or an order. Keys are few, so no value is
 * ever removed.
 */
export function atomFamily<Key extends string | number, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const created = new Map<Key, Value>();
  return (key) => {
    let value = created.get(key);
    if (value === undefined) {
      value = make(key);
      created.set(key, value);
    }
    return value;
  };
}
