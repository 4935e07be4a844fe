// Keeps the runtime's memory as it is when Python has started and `torch` is imported, so that a later visit goes on from
// there. It is kept by the browser for this very runtime; where there is no room or no storage, every visit starts anew.

const STORE = "rushlight-memory";
const MARK = 0x4d454d31;
const BLOCK = 4096;

/** What Rust may hold of JavaScript in a kept memory, by number. Anything else could not be made again. */
const HANDLES = [undefined, null, true, false, globalThis];

/** Where a memory is kept: the time zone is part of it, as Python has asked for it. */
function address(runtime, jspi) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return `${runtime}?${new URLSearchParams({ jspi, timeZone })}`;
}

/** The handles by number, or null where one has no number. */
function handlesOf(table) {
  const found = new Uint32Array(table.length);
  for (let i = 0; i < table.length; i++) {
    const number = HANDLES.indexOf(table.get(i));
    if (number < 0) return null;
    found[i] = number;
  }
  return found;
}

/** One text of numbers: a head, the handles, the places of the blocks that differ, and these blocks. */
function pack(before, after, handles) {
  const [old, now] = [new BigUint64Array(before), new BigUint64Array(after)];
  const places = [];
  const words = BLOCK / 8;
  for (let at = 0; at < now.length; at += words) {
    const end = at + words;
    for (let i = at; i < end; i++) {
      if (now[i] !== (i < old.length ? old[i] : 0n)) {
        places.push(at / words);
        break;
      }
    }
  }
  const head = [MARK, after.byteLength, handles.length, places.length, ...handles, ...places];
  const start = head.length * 4;
  const packed = new Uint8Array(start + places.length * BLOCK);
  packed.set(new Uint8Array(Uint32Array.from(head).buffer));
  const bytes = new Uint8Array(after);
  places.forEach((place, i) => packed.set(bytes.subarray(place * BLOCK, (place + 1) * BLOCK), start + i * BLOCK));
  return packed;
}

/** The kept memory for this runtime, or null. */
export async function recall(runtime, jspi) {
  try {
    const found = await (await caches.open(STORE)).match(address(runtime, jspi));
    return (await found?.arrayBuffer()) ?? null;
  } catch {
    return null;
  }
}

/** Puts a kept memory into a fresh instance. False, and nothing is changed, where it is not whole. */
export function restore({ memory, __wbindgen_externrefs: table }, kept) {
  if (!kept || kept.byteLength < 16) return false;
  const [mark, size, handles, blocks] = new Uint32Array(kept, 0, 4);
  const start = 16 + 4 * (handles + blocks);
  if (mark !== MARK || kept.byteLength !== start + blocks * BLOCK || size < memory.buffer.byteLength) return false;
  try {
    memory.grow((size - memory.buffer.byteLength) / 65536);
    if (handles > table.length) table.grow(handles - table.length);
  } catch {
    return false; // no room; the beginning may do with less
  }
  new Uint32Array(kept, 16, handles).forEach((number, i) => table.set(i, HANDLES[number]));
  const [bytes, from] = [new Uint8Array(memory.buffer), new Uint8Array(kept)];
  new Uint32Array(kept, 16 + 4 * handles, blocks).forEach((place, i) => {
    bytes.set(from.subarray(start + i * BLOCK, start + (i + 1) * BLOCK), place * BLOCK);
  });
  return true;
}

/**
 * Takes a copy of an instance that has started, and gives a function that keeps it. `before` is its memory as it was
 * when it was made.
 */
export function copy({ memory, __wbindgen_externrefs: table }, before) {
  const handles = handlesOf(table);
  if (!handles) return async () => {};
  const after = memory.buffer.slice(0);
  return async (runtime, jspi) => {
    try {
      const store = await caches.open(STORE);
      const kept = address(runtime, jspi);
      // One is enough: those of older runtimes are not asked for again.
      for (const { url } of await store.keys()) if (url !== kept) await store.delete(url);
      await store.put(kept, new Response(pack(before, after, handles)));
    } catch {
      // No room, or a page that may not store anything.
    }
  };
}

/** Forgets what is kept. */
export async function forget() {
  await globalThis.caches?.delete(STORE).catch(() => {});
}
