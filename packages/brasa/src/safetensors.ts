/** Tensors in files of the safetensors format. */
import { described } from './bind.ts';
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

/** The bytes of a file with these tensors, by name, and texts about them. */
export async function save(tensors: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>, metadata?: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const text = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== 'string');
  if (text) throw new ArgumentError(`save: metadata.${text[0]} is ${described(text[1])}, expected a text`);
  const all: [string, Tensor][] = tensors instanceof Map ? [...(tensors as ReadonlyMap<string, Tensor>)] : Object.entries(tensors);
  const other = all.find(([, x]) => !(x instanceof Tensor));
  if (other) throw new ArgumentError(`save: '${other[0]}' is ${described(other[1])}, expected a tensor`);
  const values = await Promise.all(all.map(async ([name, x]) => ({ name, dtype: x.dtype, shape: x.shape, bytes: await x.toBytes() })));
  const header: Record<string, Entry | Readonly<Record<string, string>>> = metadata ? { __metadata__: metadata } : {};
  let end = 0;
  for (const { name, dtype, shape, bytes } of values) {
    header[name] = { dtype: NAMES[dtype], shape, data_offsets: [end, end + bytes.length] };
    end += bytes.length;
  }
  // Padded with spaces, so that data begin at a multiple of eight.
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

/** What a file holds. */
export interface Loaded {
  readonly tensors: Map<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

function bad(what: string): DataError {
  return new DataError(`safetensors: ${what}`, 'load');
}

/** The tensors of a file. */
export function load(file: ArrayBuffer | Uint8Array): Loaded {
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(file);
  if (bytes.length < 8) throw bad(`a file of ${bytes.length} bytes is too short`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > bytes.length - 8) throw bad(`the header of ${length} bytes is longer than the file`);
  const header = parsed(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const data = bytes.subarray(8 + length);
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = new Map(Object.entries(entries).map(([name, entry]) => [name, made(name, entry as Entry, data)] as const));
  return { tensors, metadata: metadata as Readonly<Record<string, string>> };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw bad('the header is no JSON object');
}

function made(name: string, entry: Entry, data: Uint8Array): Tensor {
  const dtype = (Object.keys(NAMES) as DType[]).find((key) => NAMES[key] === entry.dtype);
  if (!dtype) throw bad(`'${name}' is of type ${entry.dtype}, which Brasa does not have`);
  const [start, end] = entry.data_offsets ?? [0, -1];
  const elements = entry.shape?.reduce((product, len) => product * len, 1) ?? 0;
  const width = toBytes([0], dtype).length;
  if (!(start >= 0 && end <= data.length && end - start === elements * width)) {
    throw bad(`'${name}' is ${entry.dtype} [${entry.shape?.join(', ')}] but stands at ${start} to ${end} of ${data.length} bytes`);
  }
  return Tensor.fromBytes(data.slice(start, end), dtype, entry.shape, { transfer: true });
}

