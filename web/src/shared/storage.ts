/**
 * Browser storage may be missing, full or forbidden. Reading then returns null, and writing returns
 * false.
 */

export type StorageArea = 'session' | 'local';

function storageOf(place: StorageArea): Storage | null {
  try {
    return place === 'session' ? window.sessionStorage : window.localStorage;
  } catch {
    return null;
  }
}

export function readStored(place: StorageArea, key: string): unknown {
  try {
    const text = storageOf(place)?.getItem(key);
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Returns the stored text unparsed. */
export function readStoredText(place: StorageArea, key: string): string | null {
  try {
    return storageOf(place)?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

export function writeStored(place: StorageArea, key: string, value: unknown): boolean {
  try {
    const storage = storageOf(place);
    storage?.setItem(key, JSON.stringify(value));
    return storage !== null;
  } catch {
    return false;
  }
}

export function forgetStored(place: StorageArea, key: string): void {
  try {
    storageOf(place)?.removeItem(key);
  } catch {
    // Without storage there is no value to remove.
  }
}
