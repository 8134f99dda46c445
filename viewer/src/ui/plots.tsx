import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { joined, kViolation, type Channel } from '../state/histories';
import { addPlot, compared, cursorTime, plots, plotWindow, removePlot, variableNames, wantedFor, type Plot } from '../state/plots';
import { theme } from '../state/preferences';
import { command, frame, histories, model, watches } from '../state/store';
import { download } from './actions';
import { short } from './format';
import { IconButton } from './glyph';
import { csvOf, makeChart, pictureOf, seriesColors, type Series } from './plot_chart';

// The row of plots at the bottom.

const kRedraw = 80; // [ms]

export function Plots() {
  const [expression, setExpression] = useState('');
  const names = useMemo(() => (model.value ? variableNames(model.value) : []), [model.value]);
  const add = () => {
    const expr = expression.trim();
    if (!expr) return;
    void addPlot(expr, [wantedFor(expr)]).then((good) => good && setExpression('')); // a mistake can be mended
  };
  return (
    <section class="plots" aria-label="Plots">
      <div class="plot-row" tabIndex={0}>
        {plots.value.map((plot) => <PlotCard key={plot.id} plot={plot} />)}
      </div>
      <form class="plot-add" onSubmit={(event) => (event.preventDefault(), add())}>
        <input type="text" aria-label="Variable or expression to plot" placeholder="Plot: body.crank.vx, hypot(…)" value={expression}
          list="variables" spellcheck={false} onInput={(event) => setExpression(event.currentTarget.value)} />
        <datalist id="variables">{names.map((name) => <option key={name} value={name} />)}</datalist>
        <IconButton glyph="plus" label="Plot this" onClick={add} />
        <select aria-label="Time shown" value={String(plotWindow.value)} onChange={(event) => (plotWindow.value = Number(event.currentTarget.value))}>
          <option value="5">last 5 s</option>
          <option value="20">last 20 s</option>
          <option value="60">last minute</option>
          <option value="Infinity">everything</option>
        </select>
      </form>
    </section>
  );
}

interface Drawn {
  series: Series[];
  channels: Channel[];
}

function drawnOf(plot: Plot): Drawn {
  const colors = seriesColors();
  const drawn: Drawn = { series: [], channels: [] };
  plot.names.forEach((name, i) => {
    const color = colors[i % colors.length]!;
    drawn.series.push({ label: name, color, faint: false });
    drawn.channels.push(histories.channel(name));
    for (const [branch, channels] of compared.value) {
      const channel = channels.get(name);
      if (!channel) continue;
      drawn.series.push({ label: `${name}, branch ${branch}`, color, faint: true });
      drawn.channels.push(channel);
    }
  });
  return drawn;
}

function PlotCard({ plot }: { plot: Plot }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const drawn = useRef<Drawn>({ series: [], channels: [] });
  const comparedNow = compared.value;

  useEffect(() => {
    drawn.current = drawnOf(plot);
    const element = host.current!;
    const made = makeChart({
      series: drawn.current.series,
      logarithmic: plot.logarithmic ?? false,
      width: Math.max(120, element.clientWidth),
      height: Math.max(80, element.clientHeight),
      onCursor: (t) => (cursorTime.value = t),
      onPick: (t) => void command('seek', { t }),
      now: () => frame.value?.t ?? null,
    }, element);
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(120, element.clientWidth), height: Math.max(80, element.clientHeight) }));
    observer.observe(element);
    return () => (observer.disconnect(), made.destroy());
  }, [plot, theme.value, comparedNow]);

  useEffect(() => {
    let seen = -1;
    const timer = setInterval(() => {
      if (histories.version.value === seen || document.hidden) return;
      seen = histories.version.value;
      const from = (frame.value?.t ?? 0) - plotWindow.value;
      chart.current?.setData(joined(drawn.current.channels, from) as uPlot.AlignedData);
    }, kRedraw);
    return () => clearInterval(timer);
  }, [plot, theme.value, comparedNow]);

  const unit = (name: string) => (name === kViolation ? 'm' : (watches.value.find((w) => w.name === name)?.unit ?? ''));
  const saveCsv = () => download(`${fileName(plot)}.csv`, csvOf(plot.names, plot.names.map(unit), joined(plot.names.map((name) => histories.channel(name)))));
  const savePng = async () => {
    const { series, channels } = drawn.current;
    const data = joined(channels, (frame.value?.t ?? 0) - plotWindow.value) as uPlot.AlignedData;
    download(`${fileName(plot)}.png`, await pictureOf(plot.title, series, plot.logarithmic ?? false, data));
  };
  return (
    <figure class="plot" data-plot={plot.id}>
      <figcaption>
        <strong>{plot.title}</strong>
        <span class="spacer" />
        <IconButton glyph="download" label={`Export ${plot.title} as CSV`} text="CSV" onClick={saveCsv} />
        <IconButton glyph="download" label={`Export ${plot.title} as PNG`} text="PNG" onClick={() => void savePng()} />
        {!plot.fixed && <IconButton glyph="close" label={`Close ${plot.title}`} onClick={() => removePlot(plot.id)} />}
      </figcaption>
      <Legend plot={plot} unit={unit} />
      <div class="chart" ref={host} />
    </figure>
  );
}

function Legend({ plot, unit }: { plot: Plot; unit: (name: string) => string }) {
  const t = cursorTime.value ?? frame.value?.t ?? 0;
  const prefix = commonPrefix(plot.names);
  return (
    <ul class="legend">
      {plot.names.map((name, i) => {
        const error = watches.value.find((w) => w.name === name)?.error;
        return (
          <li key={name} class={`s${(i % 6) + 1}`} title={error ?? name}>
            <i aria-hidden="true" />{name.slice(prefix.length)} <b>{short(histories.channels.get(name)?.at(t), 4)}</b> <small>{unit(name)}</small>
          </li>
        );
      })}
    </ul>
  );
}

function commonPrefix(names: string[]): string {
  const first = names[0] ?? '';
  if (names.length < 2) return '';
  const dot = first.lastIndexOf('.') + 1;
  const prefix = first.slice(0, dot);
  return names.every((name) => name.startsWith(prefix)) ? prefix : '';
}

const fileName = (plot: Plot) => plot.title.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'plot';
