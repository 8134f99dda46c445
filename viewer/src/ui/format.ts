// Numbers for people: a fixed count of significant digits, no noise.

export function short(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace(/\.?0*e\+?/, 'e');
  return String(Number(value.toPrecision(digits)));
}

// A number as typed, also with a decimal comma and with pi or deg; NaN where it is none.
export function parseNumber(text: string): number {
  const match = /^\s*([-+]?)\s*(\d*[.,]?\d*(?:e[-+]?\d+)?)\s*\*?\s*(pi|deg|°)?\s*(?:\/\s*(\d+(?:\.\d+)?))?\s*$/i.exec(text);
  if (!match || (!match[2] && match[3]?.toLowerCase() !== 'pi')) return NaN;
  const number = match[2] ? Number(match[2].replace(',', '.')) : 1;
  const unit = match[3]?.toLowerCase();
  const factor = unit === 'pi' ? Math.PI : unit ? Math.PI / 180 : 1;
  return ((match[1] === '-' ? -1 : 1) * number * factor) / (match[4] ? Number(match[4]) : 1);
}

// One step of the arrow keys: one in the second digit.
export function nudged(value: number, direction: number, coarse: boolean): number {
  const size = Math.abs(value) > 0 ? Math.pow(10, Math.floor(Math.log10(Math.abs(value)))) : 1;
  const step = size * (coarse ? 1 : 0.1);
  return Number((value + direction * step).toPrecision(10));
}
