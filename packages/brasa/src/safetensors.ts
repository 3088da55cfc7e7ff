/** The safetensors file format. */
import { describe } from './bind.ts';
import { type DType, toBytes } from './dtype.ts';
import { ArgumentError, DataError } from './errors.ts';
import { Tensor } from './tensor.ts';

const NAMES: Readonly<Record<DType, string>> = {
  f32: 'F32', f64: 'F64', f16: 'F16', bf16: 'BF16', i64: 'I64', i32: 'I32', u32: 'U32', u8: 'U8', i8: 'I8', bool: 'BOOL',
};

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** The bytes of a file with these tensors, by name, and metadata. */
export async function save(tensors: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>, metadata?: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const wrong = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== 'string');
  if (wrong) throw new ArgumentError(`save: metadata.${wrong[0]} is ${describe(wrong[1])}, expected a string`);
  const all: [string, Tensor][] = tensors instanceof Map ? [...(tensors as ReadonlyMap<string, Tensor>)] : Object.entries(tensors);
  const other = all.find(([, x]) => !(x instanceof Tensor));
  if (other) throw new ArgumentError(`save: '${other[0]}' is ${describe(other[1])}, expected a tensor`);
  const values = await Promise.all(all.map(async ([name, x]) => ({ name, dtype: x.dtype, shape: x.shape, bytes: await x.toBytes() })));
  const header: Record<string, Entry | Readonly<Record<string, string>>> = metadata ? { __metadata__: metadata } : {};
  let end = 0;
  for (const { name, dtype, shape, bytes } of values) {
    header[name] = { dtype: NAMES[dtype], shape, data_offsets: [end, end + bytes.length] };
    end += bytes.length;
  }
  // Padded with spaces so that data begin at a multiple of eight.
  const json = JSON.stringify(header);
  const head = new TextEncoder().encode(json.padEnd(json.length + ((8 - (new TextEncoder().encode(json).length % 8)) % 8)));
  const file = new Uint8Array(8 + head.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(head.length), true);
  file.set(head, 8);
  let at = 8 + head.length;
  for (const { bytes } of values) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

/** The contents of a file. */
export interface Loaded {
  readonly tensors: Map<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

function formatError(what: string): DataError {
  return new DataError(`safetensors: ${what}`, 'load');
}

/** Reads a file. */
export function load(file: ArrayBuffer | Uint8Array): Loaded {
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(file);
  if (bytes.length < 8) throw formatError(`a file of ${bytes.length} bytes is too short`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > bytes.length - 8) throw formatError(`the header of ${length} bytes is longer than the file`);
  const header = parseHeader(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const data = bytes.subarray(8 + length);
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = new Map(Object.entries(entries).map(([name, entry]) => [name, readTensor(name, entry as Entry, data)] as const));
  return { tensors, metadata: metadata as Readonly<Record<string, string>> };
}

function parseHeader(text: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw formatError('the header is not a JSON object');
}

function readTensor(name: string, entry: Entry, data: Uint8Array): Tensor {
  const dtype = (Object.keys(NAMES) as DType[]).find((key) => NAMES[key] === entry.dtype);
  if (!dtype) throw formatError(`'${name}' has dtype ${entry.dtype}, which is not supported`);
  const [start, end] = entry.data_offsets ?? [0, -1];
  const elements = entry.shape?.reduce((product, len) => product * len, 1) ?? 0;
  const width = toBytes([0], dtype).length;
  if (!(start >= 0 && end <= data.length && end - start === elements * width)) {
    throw formatError(`'${name}' is ${entry.dtype} [${entry.shape?.join(', ')}] at bytes ${start} to ${end} of ${data.length}`);
  }
  return Tensor.fromBytes(data.slice(start, end), dtype, entry.shape, { transfer: true });
}

