import { useMemo, useRef, useState } from 'preact/hooks';
import type { Model } from '../protocol/messages';
import { hovered, icons, model, namesOf, plainKinds, select, selection, type Item, type ItemKind, type PlainKind } from '../state/store';
import { chooseForTool } from './actions';
import { tracedPoints } from '../state/traced';

// Everything in the model, searchable; bodies stand below those that carry them.

interface Row {
  item: Item;
  depth: number;
  note: string;
}

interface Group {
  title: string;
  rows: Row[];
}

export function ModelTree() {
  const [query, setQuery] = useState('');
  const m = model.value;
  const groups = useMemo(() => (m ? groupsOf(m) : []), [m, icons.value]);
  const found = groups.map((group) => ({ ...group, rows: group.rows.filter((row) => matches(row, query)) })).filter((g) => g.rows.length > 0);
  const list = useRef<HTMLDivElement>(null);

  const move = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || items.length === 0) return;
    event.preventDefault();
    items[Math.max(0, Math.min(items.length - 1, to))]!.focus();
  };
  const current = selection.value;
  const first = found[0]?.rows[0]?.item;
  return (
    <section class="panel tree" aria-label="Model">
      <div class="panel-head">
        <input id="tree-search" type="search" placeholder="Search  /" aria-label="Search the model" value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && first) choose(first);
            if (event.key === 'ArrowDown') move(event);
          }} />
      </div>
      <div class="scroll" ref={list} onKeyDown={move}>
        <div role="tree" aria-label="Parts of the model">
          {found.map((group) => (
            <div role="group" aria-label={group.title} key={group.title}>
              <div class="tree-title" role="presentation"><span>{group.title}</span> <small>{group.rows.length}</small></div>
              {group.rows.slice(0, 400).map((row, i) => (
                <TreeRow key={`${row.item.kind} ${row.item.name}`} row={row} current={current}
                  first={group === found[0] && i === 0} />
              ))}
              {group.rows.length > 400 && <div class="more">… {group.rows.length - 400} more: search for them</div>}
            </div>
          ))}
        </div>
        {found.length === 0 && <p class="empty">Nothing is called “{query}”.</p>}
      </div>
    </section>
  );
}

// With a tool in the hand, what is chosen here is what it is used on: the keyboard's way.
function choose(item: Item): void {
  if (!chooseForTool(item)) select(item);
}

function TreeRow({ row, current, first }: { row: Row; current: Item | null; first: boolean }) {
  const { item, depth, note } = row;
  const selected = current?.kind === item.kind && current.name === item.name;
  return (
    <div role="treeitem" aria-level={depth + 1} aria-selected={selected} tabIndex={selected || (!current && first) ? 0 : -1}
      class={`tree-row ${item.kind} depth-${Math.min(8, depth)}`} data-kind={item.kind} data-name={item.name}
      onClick={() => choose(item)}
      onMouseEnter={() => item.kind === 'body' && (hovered.value = item)} onMouseLeave={() => (hovered.value = null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        choose(item);
      }}>
      <span class="dot" aria-hidden="true" />
      <span class="name">{item.name}</span>
      <small>{note}</small>
    </div>
  );
}

function matches(row: Row, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${row.item.kind} ${row.item.name} ${row.note}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function groupsOf(m: Model): Group[] {
  const plain = (kind: ItemKind, parts: { name: string }[], note: (i: number) => string = () => '') =>
    parts.map((part, i) => ({ item: { kind, name: part.name }, depth: 0, note: note(i) }));
  return [
    { title: 'Scene', rows: [{ item: { kind: 'scene' as const, name: m.name }, depth: 0, note: `${m.dof} dof` }] },
    { title: 'Icons', rows: plain('icon', icons.value, (i) => icons.value[i]!.kind) },
    { title: 'Bodies', rows: bodyRows(m) },
    { title: 'Joints', rows: plain('joint', m.joints, (i) => m.joints[i]!.type + (m.joints[i]!.closes_loop ? ' loop' : '')) },
    { title: 'Points', rows: plain('point', m.points, (i) => (tracedPoints.value?.includes(m.points[i]!.name) ? 'traced' : '')) },
    ...plainKinds.map((kind) => ({ title: `${kind[0]!.toUpperCase()}${kind.slice(1)}s`, rows: plainRows(m, kind) })),
  ].filter((group) => group.rows.length > 0);
}

function plainRows(m: Model, kind: PlainKind): Row[] {
  const described = kind === 'motor' ? m.motors : kind === 'controller' ? m.controllers : [];
  return namesOf(m, kind).map((name) => ({ item: { kind, name }, depth: 0, note: described.find((part) => part.name === name)?.kind ?? '' }));
}

function bodyRows(m: Model): Row[] {
  const children = new Map<number, number[]>();
  m.bodies.forEach((body, b) => {
    const list = children.get(body.parent);
    if (list) list.push(b);
    else children.set(body.parent, [b]);
  });
  const rows: Row[] = [];
  const visit = (b: number, depth: number) => {
    const body = m.bodies[b]!;
    rows.push({ item: { kind: 'body', name: body.name }, depth, note: `${Number(body.mass.toPrecision(3))} kg` });
    for (const child of children.get(b) ?? []) visit(child, depth + 1);
  };
  for (const root of children.get(-1) ?? []) visit(root, 0);
  return rows;
}
