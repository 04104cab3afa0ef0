import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { init } from "@embedpdf/pdfium";

/** The functions of PDFium as exported by WebAssembly: a third of the cost of the wrapped functions. */
type Exports = Readonly<Record<string, (...given: number[]) => number>>;

/** PDFium with its memory and a few conversions. */
export interface Pdfium {
  readonly call: Exports;
  /** 4,096 bytes for results written to an address. */
  readonly scratch: number;
  f32(address: number): number;
  f64(address: number): number;
  i32(address: number): number;
  setI32(address: number, value: number): void;
  /** Copies bytes into PDFium's memory; to be freed. */
  give(bytes: Uint8Array): number;
  take(address: number, length: number): Uint8Array;
  free(address: number): void;
  /** The text of a function `f(buffer, bytes)` that returns the bytes of UTF-16, including the NUL. */
  utf16(ask: (buffer: number, bytes: number) => number): string;
  latin1(ask: (buffer: number, bytes: number) => number): string;
  /** Bytes taken from the system, never given back. */
  taken(): number;
  /** Lets the memory hold a file of this size beside the work on its pages. */
  makeRoom(bytes: number): void;
}

/** Memory for the work on a page, beside the file (limit pdf.memory). */
export const memoryBytesMax = 320 << 20;
/** Memory beyond the file after which a new PDFium is opened. */
const recycleBytes = 160 << 20;

const textBytesMax = 1 << 20;

let opened: Promise<Pdfium> | null = null;

/** One PDFium per process; a page that breaks PDFium ends the isolated process. */
export function openPdfium(): Promise<Pdfium> {
  opened ??= open();
  return opened;
}

/** A new PDFium reads the next page: after a trap, or with too much memory held. */
export function forgetPdfium(): void {
  opened = null;
}

export const isWorn = (pdfium: Pdfium, fileBytes: number): boolean =>
  pdfium.taken() > recycleBytes + fileBytes;

async function open(): Promise<Pdfium> {
  const wasm = readFileSync(createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm"));
  const library = await init({ wasmBinary: new Uint8Array(wasm).buffer, printErr: () => {} });
  library.PDFiumExt_Init();
  const module = library.pdfium as unknown as Memory & { readonly wasmExports: Exports };
  const call = module.wasmExports;
  const bound = boundMemory((call as unknown as { readonly memory: GrowingMemory }).memory);
  const scratch = allocate(call, 4096);
  const free = (address: number) => void invoke(call, "free", address);
  const take = (address: number, length: number) => module.HEAPU8.slice(address, address + length);
  const text = (ask: (buffer: number, bytes: number) => number, nul: number): Uint8Array => {
    const length = ask(0, 0);
    if (length <= nul || length > textBytesMax) return new Uint8Array();
    const buffer = allocate(call, length);
    ask(buffer, length);
    const bytes = take(buffer, length - nul);
    free(buffer);
    return bytes;
  };
  return {
    call,
    scratch,
    // Views change when memory grows, so none is kept.
    f32: (address) => module.HEAPF32[address >> 2] ?? 0,
    f64: (address) => module.HEAPF64[address >> 3] ?? 0,
    i32: (address) => module.HEAP32[address >> 2] ?? 0,
    setI32: (address, value) => {
      module.HEAP32[address >> 2] = value;
    },
    give(bytes) {
      const address = allocate(call, bytes.length);
      module.HEAPU8.set(bytes, address);
      return address;
    },
    take,
    free,
    ...bound,
    utf16: (ask) => Buffer.from(text(ask, 2)).toString("utf16le"),
    latin1: (ask) => Buffer.from(text(ask, 1)).toString("latin1"),
  };
}

/** PDFium's own limit is 2 GB; limits of a process leave WebAssembly out. */
function boundMemory(memory: GrowingMemory): Pick<Pdfium, "taken" | "makeRoom"> {
  let most = memoryBytesMax;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > most) throw new RangeError("pdf.memory");
    return grow(pages);
  };
  return {
    taken: () => memory.buffer.byteLength,
    makeRoom(bytes) {
      most = memoryBytesMax + bytes;
    },
  };
}

/** WebAssembly.Memory, absent from the types of Node 20. */
interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow: (pages: number) => number;
}

interface Memory {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
}

function allocate(call: Exports, bytes: number): number {
  const address = invoke(call, "malloc", bytes);
  if (address === 0) throw new RangeError(`PDFium has no memory for ${bytes} more bytes.`);
  return address;
}

/** Calls a function by name; a function missing in the build is named in the error. */
export function invoke(call: Exports, name: string, ...given: number[]): number {
  const found = call[name];
  if (!found) throw new Error(`This build of PDFium has no function ${name}.`);
  return found(...given);
}
