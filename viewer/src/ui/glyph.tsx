// Line drawings for buttons, 16 x 16.

const paths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  step: 'M3 2.5v11l7-5.5zM11.5 2.5h1.5v11h-1.5z',
  back: 'M13 2.5v11L6 8zM3 2.5h1.5v11H3z',
  reset: 'M3 8a5 5 0 1 0 1.6-3.7M4.5 1.5v3h3',
  undo: 'M6 3 2.5 6.5 6 10M3 6.5h6a4 4 0 0 1 0 8H6',
  redo: 'M10 3l3.5 3.5L10 10M13 6.5H7a4 4 0 0 0 0 8h3',
  hand: 'M5 8V3.8a1 1 0 0 1 2 0V7V2.8a1 1 0 0 1 2 0V7V3.8a1 1 0 0 1 2 0V9V6.3a1 1 0 0 1 2 0V10a4.5 4.5 0 0 1-8.2 2.5L2.6 9.6a1 1 0 0 1 1.6-1.2z',
  force: 'M2.5 13.5 12 4M7 3h6v6',
  torque: 'M13 8a5 5 0 1 1-2-4M11.5 1.2 11.2 4.4 8 4',
  motion: 'M8 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M1.5 8H3M13 8h1.5M8 1.5V3M8 13v1.5',
  joint: 'M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M1.5 13.5 6.5 9.3M14.5 13.5 9.5 9.3',
  ruler: 'M1.8 10.7 10.7 1.8l3.5 3.5-8.9 8.9zM5 7.5l1.5 1.5M7.5 5 9 6.5',
  fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
  follow: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v3M8 12v3M1 8h3M12 8h3',
  eye: 'M1.2 8S3.8 3.5 8 3.5 14.8 8 14.8 8 12.2 12.5 8 12.5 1.2 8 1.2 8M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4',
  sun: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  help: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .8-1 1.7M8 12.4v.6',
  save: 'M2.5 2.5h9l2 2v9h-11zM5 2.5v4h5v-4M5 13.5v-4h6v4',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plot: 'M2 2v12h12M4.5 10.5 7.5 7l2.5 2 3.5-5',
  tree: 'M3 2.5v11M3 5h4M3 9h4M3 13h4M9 5h5M9 9h5M9 13h5',
  panel: 'M2 3h12v10H2zM10 3v10',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  plus: 'M8 3v10M3 8h10',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  branch: 'M4 2.5v11M4 9c0-3 8-1 8-5M12 2.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3',
  wheel: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 6.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3M2 8h4.5M9.5 8H14M8 9.5V14',
} as const;

const filled = new Set<string>(['play', 'pause', 'step', 'back']);

export type GlyphName = keyof typeof paths;

export function Glyph({ name }: { name: GlyphName }) {
  const solid = filled.has(name);
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"
      fill={solid ? 'currentColor' : 'none'} stroke={solid ? 'none' : 'currentColor'}
      stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">
      <path d={paths[name]} />
    </svg>
  );
}

interface ButtonProps {
  glyph: GlyphName;
  label: string; // what it does
  keys?: string; // on the keyboard
  on?: boolean | undefined; // a switch that is on
  disabled?: boolean | undefined;
  text?: string;
  onClick: () => void;
}

export function IconButton({ glyph, label, keys, on, disabled, text, onClick }: ButtonProps) {
  return (
    <button type="button" class={text ? 'button' : 'icon-button'} title={keys ? `${label} (${keys})` : label} aria-label={label}
      aria-pressed={on} disabled={disabled} onClick={onClick}>
      <Glyph name={glyph} />
      {text && <span>{text}</span>}
    </button>
  );
}
