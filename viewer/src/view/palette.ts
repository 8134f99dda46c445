// Colours of the viewport for each theme.

export interface Palette {
  background: number;
  grid: number;
  gridMajor: number;
  ground: number;
  selection: number;
  hover: number;
  joint: number;
  contact: number;
  drag: number;
  force: number;
  torque: number;
  motion: number;
  spring: number;
  tendon: number;
  traces: number[];
  sky: number;
  earth: number;
}

export const palettes: Record<'dark' | 'light', Palette> = {
  dark: {
    background: 0x171a1f, grid: 0x2a2f37, gridMajor: 0x3a414c, ground: 0x2b3038, selection: 0x5aa2ff, hover: 0x8fa6c4,
    joint: 0xe8b04a, contact: 0xff7a59, drag: 0x67d1ff, force: 0xff5d6c, torque: 0xc58bff, motion: 0x5fd38d,
    spring: 0x9aa7b8, tendon: 0xff6b5e, traces: [0xffb454, 0x6cc7ff, 0xb4e36b, 0xff8fb1, 0xc7a6ff], sky: 0xdfe8f5, earth: 0x3a3f49,
  },
  light: {
    background: 0xeef1f5, grid: 0xd6dce4, gridMajor: 0xb9c2ce, ground: 0xe3e7ed, selection: 0x0b62d6, hover: 0x6b7f99,
    joint: 0xa86a00, contact: 0xd2401b, drag: 0x0077b6, force: 0xcf1f3c, torque: 0x7b2fd0, motion: 0x13814a,
    spring: 0x5c6876, tendon: 0xc2321f, traces: [0xc96a00, 0x0a6fb5, 0x4c8a10, 0xbf2f66, 0x6f42c1], sky: 0xffffff, earth: 0xb8bec8,
  },
};
