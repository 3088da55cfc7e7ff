/**
 * Puts a packed module together again: `xtask/wasm/src/pack.rs` has moved the operands of its instructions to columns,
 * by their kinds, which makes it a tenth smaller after gzip.
 */

/** The columns, in the order of the file. */
const enum Column {
  /** What stands before the code, and after it. */
  Before = 0,
  After = 1,
  Opcodes = 2,
  /** The first of those for numbers. */
  Numbers = 3,
  Declarations = 12,
  Others = 13,
  Count = 14,
}

/** Kinds of numbers, in the order of their columns; 'o' are all others. */
const KINDS = 'lkwfacbtido';
/**
 * The kinds of operands that instructions have, by the first and the last opcode: numbers, bytes ('4', '8') or a
 * table of labels ('T').
 */
const OPERANDS = '02-04t 06-06w 0c-0db 0e-0eT 10-10c 11-11oo 20-22l 23-24t 28-3eaf 3f-40o 41-41k 42-42i 43-434 44-448';
/** The same by the second byte, behind a prefix. */
const BEHIND_PREFIX = '0a-0aoo 0b-0bo';

const enum Opcode {
  Block = 0x02,
  If = 0x04,
  /** Stands for a constant that takes three bytes or more, whose column is another. */
  WideConstant = 0x06,
  End = 0x0b,
  Constant = 0x41,
  Prefix = 0xfc,
}

const CODE_SECTION = 10;
/** Lengths take five bytes, so that they need not be known in advance. */
const LENGTH = 5;

/** What an operand is: a column of numbers, as many bytes (below zero), or a table of labels. */
type Operand = number;
const LABELS: Operand = 100;

function parsed(kinds: string): Operand[] {
  const operand = (kind: string): Operand => {
    const own = KINDS.indexOf(kind);
    if (own >= 0) return Column.Numbers + own;
    return kind === 'T' ? LABELS : -Number(kind);
  };
  return Array.from(kinds, operand);
}

function byOpcode(rules: string): Operand[][] {
  const all = Array.from({ length: 256 }, (): Operand[] => []);
  for (const rule of rules.split(' ')) {
    all.fill(parsed(rule.slice(5)), Number.parseInt(rule, 16), Number.parseInt(rule.slice(3, 5), 16) + 1);
  }
  return all;
}

/** The bytes of the module that is packed in this one; of one that is not packed, nothing. */
export function unpacked(packed: WebAssembly.Module): Uint8Array<ArrayBuffer> | undefined {
  const [section] = WebAssembly.Module.customSections(packed, 'packed');
  return section && new Unpacking(new Uint8Array(section)).whole();
}

/** A column, and what of it was taken. */
interface Source {
  readonly bytes: Uint8Array;
  at: number;
}

class Unpacking {
  readonly #columns: readonly Source[];
  readonly #operands = byOpcode(OPERANDS);
  readonly #operandsBehindPrefix = byOpcode(BEHIND_PREFIX);
  readonly #locals = parsed('dd');
  readonly #to: Uint8Array<ArrayBuffer>;
  #end = 0;

  constructor(section: Uint8Array) {
    const lengths = new DataView(section.buffer);
    let start = 4 * Column.Count;
    this.#columns = Array.from({ length: Column.Count }, (_, n) => ({ bytes: section.subarray(start, (start += lengths.getUint32(4 * n, true))), at: 0 }));
    // A function has two bytes at least, and gets its length.
    this.#to = new Uint8Array(4 * section.length);
  }

  #put(byte: number): void {
    this.#to[this.#end++] = byte;
  }

  #column(n: number): Source {
    return this.#columns[n] as Source;
  }

  /** Copies bytes of a column, by default all. */
  #copy(n: number, count?: number): void {
    const from = this.#column(n);
    const bytes = from.bytes.subarray(from.at, count && from.at + count);
    from.at += bytes.length;
    this.#to.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Copies a number of a column, seven bits a byte; gives it. */
  #number(n: number): number {
    const from = this.#column(n);
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = from.bytes[from.at++] as number;
      this.#put(byte);
      value |= (byte & 0x7f) << shift;
      shift += 7;
      // Nothing at all, where the file ends too soon.
      if (!(byte >= 0x80)) return value;
    }
  }

  /** Does `body` and puts before it how long it is. */
  #measured(body: () => void): void {
    const start = this.#end;
    this.#end += LENGTH;
    body();
    const len = this.#end - start - LENGTH;
    for (let n = 0; n < LENGTH; n += 1) this.#to[start + n] = ((len >>> (7 * n)) & 0x7f) | (n < LENGTH - 1 ? 0x80 : 0);
  }

  whole(): Uint8Array<ArrayBuffer> {
    this.#copy(Column.Before);
    this.#put(CODE_SECTION);
    this.#measured(() => {
      const count = this.#number(Column.Others);
      for (let n = 0; n < count; n += 1) this.#measured(() => this.#body());
    });
    this.#copy(Column.After);
    return this.#to.slice(0, this.#end);
  }

  /** A function: groups of locals, then instructions up to the end that is its own. */
  #body(): void {
    for (let groups = this.#number(Column.Declarations); groups > 0; groups -= 1) this.#take(this.#locals);
    for (let depth = 1; depth > 0; ) depth += this.#instruction();
  }

  /** An instruction; gives how much deeper what follows is. */
  #instruction(): number {
    const opcode = this.#opcode();
    this.#put(opcode === Opcode.WideConstant ? Opcode.Constant : opcode);
    if (opcode === Opcode.Prefix) {
      const second = this.#opcode();
      this.#put(second);
      this.#take(this.#operandsBehindPrefix[second] as Operand[]);
      return 0;
    }
    this.#take(this.#operands[opcode] as Operand[]);
    if (opcode === Opcode.End) return -1;
    return opcode >= Opcode.Block && opcode <= Opcode.If ? 1 : 0;
  }

  #opcode(): number {
    const from = this.#column(Column.Opcodes);
    return from.bytes[from.at++] as number;
  }

  #take(operands: readonly Operand[]): void {
    for (const operand of operands) {
      if (operand < 0) this.#copy(Column.Others, -operand);
      else if (operand < LABELS) this.#number(operand);
      // As many labels, and the one that is meant else.
      else for (let labels = this.#number(Column.Others); labels >= 0; labels -= 1) this.#number(Column.Others);
    }
  }
}
