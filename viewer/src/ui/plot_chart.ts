import uPlot from 'uplot';
import type { Columns } from '../state/histories';

// One uPlot chart in the page's colours.

export interface Series {
  label: string;
  color: string;
  faint: boolean; // of another branch
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const seriesColors = () => ['--s1', '--s2', '--s3', '--s4', '--s5', '--s6'].map(css);

export interface ChartOptions {
  series: Series[];
  logarithmic: boolean;
  width: number;
  height: number;
  onCursor: (t: number | null) => void;
  onPick: (t: number) => void;
  now: () => number | null; // the playhead [s]
}

const number = (value: number) => (value === 0 ? '0' : Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5 ? value.toExponential(0).replace('e+', 'e') : String(Number(value.toPrecision(4))));

export function makeChart(options: ChartOptions, target: HTMLElement): uPlot {
  const text = css('--text-dim');
  const grid = { stroke: css('--line'), width: 1 };
  const font = '10px system-ui, sans-serif';
  const axis = { stroke: text, grid, ticks: { show: false }, font, gap: 3 };
  const chart = new uPlot(
    {
      width: options.width,
      height: options.height,
      padding: [6, 8, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: 'lipkin', setSeries: false },
        drag: { x: false, y: false },
        points: { size: 5 },
      },
      scales: { x: { time: false }, y: options.logarithmic ? { distr: 3, range: logarithmicRange } : { range: linearRange } },
      axes: [
        { ...axis, size: 20, space: 60, values: (_, ticks) => ticks.map((t) => `${number(t)} s`) },
        { ...axis, ...(options.logarithmic ? { splits: decades } : {}), size: 46, space: 26, values: (_, ticks) => ticks.map((value) => (value === null ? '' : number(value))) },
      ],
      series: [
        {},
        ...options.series.map((series) => ({
          label: series.label,
          stroke: series.color,
          width: series.faint ? 1 : 1.5,
          dash: series.faint ? [4, 4] : [],
          spanGaps: true,
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [(u) => options.onCursor(u.cursor.idx === null || u.cursor.idx === undefined ? null : (u.data[0][u.cursor.idx] ?? null))],
        draw: [(u) => drawPlayhead(u, options.now(), css('--accent'))],
      },
    },
    [[]],
    target,
  );
  chart.over.addEventListener('dblclick', (event) => options.onPick(chart.posToVal(event.offsetX, 'x')));
  return chart;
}

function linearRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1e-3;
  return [low - margin, high + margin];
}

function logarithmicRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  const top = high && high > 0 ? high : 1e-6;
  const bottom = low && low > 0 ? Math.max(low, 1e-8 * top) : 1e-3 * top;
  return [Math.pow(10, Math.floor(Math.log10(bottom))), Math.pow(10, Math.ceil(Math.log10(top) + 1e-9))];
}

// Powers of ten, not more than fit.
function decades(_: uPlot, __: number, low: number, high: number): number[] {
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const stride = Math.max(1, Math.ceil((to - from) / 4));
  return Array.from({ length: Math.floor((to - from) / stride) + 1 }, (___, i) => Math.pow(10, from + i * stride));
}

// A chart of its own size below its title and the names of its curves, on the page's background, for a report.
export async function pictureOf(title: string, series: Series[], logarithmic: boolean, data: uPlot.AlignedData): Promise<string> {
  const host = document.createElement('div');
  const ignore = () => undefined;
  const chart = makeChart({ series, logarithmic, width: 900, height: 380, onCursor: ignore, onPick: ignore, now: () => null }, host);
  chart.setData(data);
  await new Promise((resolve) => setTimeout(resolve)); // it draws after this
  const picture = withHead(host.querySelector('canvas')!, title, series);
  chart.destroy();
  return picture;
}

function withHead(canvas: HTMLCanvasElement, title: string, series: Series[]): string {
  const scale = window.devicePixelRatio;
  const head = 34 * scale;
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height + head];
  const context = copy.getContext('2d')!;
  context.fillStyle = css('--panel');
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, head);
  context.fillStyle = css('--text');
  context.font = `600 ${12 * scale}px system-ui, sans-serif`;
  context.fillText(title, 8 * scale, 14 * scale);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  let x = 8 * scale;
  for (const { label, color } of series) {
    context.fillStyle = color;
    context.fillRect(x, 24 * scale, 10 * scale, 3 * scale);
    context.fillStyle = css('--text');
    context.fillText(label, x + 14 * scale, 29 * scale);
    x += context.measureText(label).width + 26 * scale;
  }
  return copy.toDataURL('image/png');
}

function drawPlayhead(u: uPlot, t: number | null, color: string): void {
  if (t === null) return;
  const x = u.valToPos(t, 'x', true);
  if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
  u.ctx.save();
  u.ctx.strokeStyle = color;
  u.ctx.globalAlpha = 0.7;
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

// Rows as text, time first, names and units in one line above; empty where a channel has no value.
export function csvOf(names: string[], units: string[], [times, ...columns]: Columns): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const head = ['t [s]', ...names.map((name, i) => (units[i] ? `${name} [${units[i]}]` : name))].map(quote).join(',');
  const rows = times.map((t, r) => [t, ...columns.map((column) => column[r] ?? '')].join(','));
  return `${[head, ...rows].join('\n')}\n`;
}
