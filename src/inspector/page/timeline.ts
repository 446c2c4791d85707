// Swim lanes of one cluster's actors: who was in which state when, who held the init lock, who waited for whom.
//
// Time runs from the first transition to shortly after the last one: a long rest does not squeeze the life before it. A span
// that waits is hatched and names what it waits for; when that has a lane of its own, an arrow leads from there to the end of
// the wait.

import type { WireLane, WireSpan, WireTimeline } from '../wire.js';
import { ask } from './connection.js';
import { clock, el } from './dom.js';
import { age } from './model.js';
import { tickClocks } from './travel.js';

const LEAST_MS = 1000;
const TICKS = 5;
/** Share of the life that is added for what lasts after the last transition: rests, and waits. */
const REST = 0.15;
const REST_OF_WAITS = 0.4;

/** What the lanes are drawn into, and what a click on a lane does. */
export interface TimelineView {
  show(namespace: string, cluster: string, selected: string): Promise<void>;
  /** Says what the lanes wait for. */
  wait(words: string): void;
}

/** Binds the lanes to their element. Asks for new ones at most one at a time. */
export function createTimeline(element: HTMLElement, select: (key: string) => void): TimelineView {
  let isAsking = false;
  /** What was wanted last while an answer was on its way. */
  let wanted: readonly [namespace: string, cluster: string, selected: string] | null = null;
  let shown = '';
  const wait = (words: string): void => {
    shown = '';
    if (element.textContent !== words) element.replaceChildren(el('p', { class: 'empty', role: 'status' }, words));
  };
  const show = async (namespace: string, cluster: string, selected: string): Promise<void> => {
    if (isAsking) {
      wanted = [namespace, cluster, selected];
      return;
    }
    isAsking = true;
    const title = `${namespace}/${cluster}`;
    if (shown !== title) wait(`Asking the operator for the lanes of ${title} …`);
    const query = new URLSearchParams({ ns: namespace, cluster });
    const answer = await ask<WireTimeline>(`/api/timeline?${query.toString()}`);
    if (answer.kind === 'answer') {
      shown = title;
      draw(element, { title, cluster, timeline: answer.value, selected, select });
    } else if (shown !== title) {
      wait(`The operator does not answer: the lanes of ${title} appear when it is back.`);
    }
    isAsking = false;
    if (wanted === null) return;
    const next = wanted;
    wanted = null;
    await show(...next);
  };
  return { show, wait };
}

interface Drawing {
  readonly title: string;
  readonly cluster: string;
  readonly timeline: WireTimeline;
  readonly selected: string;
  readonly select: (key: string) => void;
}

interface Range {
  readonly fromMs: number;
  /** The last transition. */
  readonly lastMs: number;
  /** Where the paper ends. */
  readonly toMs: number;
  readonly nowMs: number;
}

function draw(element: HTMLElement, { title, cluster, timeline, selected, select }: Drawing): void {
  const lanes = timeline.lanes.filter((lane) => lane.spans.length > 0);
  if (lanes.length === 0) {
    element.replaceChildren(
      el(
        'p',
        { class: 'empty' },
        `No transition in ${title} yet: the operator has not looked at its actors since it started.`,
      ),
    );
    return;
  }
  const range = rangeOf(lanes, timeline.now);
  const short = (name: string): string => (name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name);
  const body = el('div', { class: 'lanes' });
  let machine = '';
  const places = new Map<string, HTMLElement>();
  body.append(ruler(range));
  const lock = lockLane(lanes, short, range);
  if (lock !== null) body.append(lock);
  for (const lane of lanes) {
    if (lane.machine !== machine) body.append(el('h3', {}, lane.machine));
    machine = lane.machine;
    const line = laneLine(lane, { short, range, isSelected: lane.key === selected, select });
    places.set(lane.key, line);
    body.append(line);
  }
  const { scrollTop } = element;
  element.replaceChildren(
    el('h2', {}, title),
    el(
      'p',
      { class: 'quiet' },
      `${lengthText(range.lastMs - range.fromMs)} from the first transition to the last one, `,
      clock(range.lastMs, 'ago'),
      ' ago. ◆ and hatched: waits; the arrow at its end comes from whom it waited for.',
    ),
    body,
  );
  // It is drawn when its lanes have come, which is between two ticks of the page's clocks.
  tickClocks(range.nowMs);
  drawWaits(body, lanes, { places, range, selected });
  element.scrollTop = scrollTop;
}

function rangeOf(lanes: readonly WireLane[], nowMs: number): Range {
  const spans = lanes.flatMap((lane) => lane.spans);
  const moved = lanes.filter((lane) => lane.spans.length > 1).flatMap((lane) => lane.spans);
  const fromMs = Math.min(...(moved.length === 0 ? spans : moved).map((span) => span.fromMs));
  const lastMs = Math.max(...spans.map((span) => span.fromMs));
  const isWaiting = lanes.some((lane) => lane.spans.at(-1)?.waitsFor !== null);
  const rest = Math.min(nowMs - lastMs, (lastMs - fromMs) * (isWaiting ? REST_OF_WAITS : REST));
  return { fromMs, lastMs, toMs: Math.max(lastMs + rest, fromMs + LEAST_MS), nowMs };
}

const shareOf = (range: Range, ms: number): number =>
  Math.min(100, Math.max(0, ((ms - range.fromMs) / (range.toMs - range.fromMs)) * 100));

function ruler(range: Range): HTMLElement {
  const length = range.toMs - range.fromMs;
  const ticks = Array.from({ length: TICKS }, (_, index) => {
    const tick = el('span', { class: 'tick' }, index === 0 ? '0' : `+${lengthText((length * index) / TICKS)}`);
    tick.style.left = `${(index * 100) / TICKS}%`;
    return tick;
  });
  return el('div', { class: 'lane ruler' }, el('span', { class: 'who' }), el('div', { class: 'track' }, ...ticks));
}

function lengthText(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : age(Math.round(ms / 1000) * 1000);
}

/** Who held the init lock when; null when nobody did. */
function lockLane(lanes: readonly WireLane[], short: (name: string) => string, range: Range): HTMLElement | null {
  const held = lanes.flatMap((lane) => lane.spans.filter((span) => span.holdsLock).map((span) => ({ lane, span })));
  if (held.length === 0) return null;
  const bars = held.map(({ lane, span }) => {
    const bar = el(
      'div',
      {
        class: 'span holds',
        title: `${lane.name} held the init lock for ${lengthText((span.toMs ?? range.nowMs) - span.fromMs)}`,
      },
      short(lane.name),
    );
    place(bar, span, range);
    return bar;
  });
  return el(
    'div',
    { class: 'lane lock' },
    el('span', { class: 'who' }, 'init lock'),
    el('div', { class: 'track bar' }, ...bars),
  );
}

function laneLine(
  lane: WireLane,
  {
    short,
    range,
    isSelected,
    select,
  }: {
    /** A name without the cluster's. */
    readonly short: (name: string) => string;
    readonly range: Range;
    readonly isSelected: boolean;
    readonly select: (key: string) => void;
  },
): HTMLElement {
  const pick = (): void => select(lane.key);
  return el(
    'div',
    { class: `lane${isSelected ? ' picked' : ''}`, 'data-lane': lane.key },
    el(
      'button',
      { type: 'button', class: 'who', title: `${lane.name} ${lane.role}`, onclick: pick },
      el('span', { class: 'short' }, short(lane.name)),
      el('span', { class: 'quiet' }, short(lane.name).startsWith(lane.role) ? '' : lane.role),
    ),
    el('div', { class: 'track bar', onclick: pick }, ...lane.spans.map((span) => spanBar(span, short, range))),
  );
}

function spanBar(span: WireSpan, short: (name: string) => string, range: Range): HTMLElement {
  const waits = span.waitsFor === null ? '' : `, waits for ${span.waitsFor.kind} ${span.waitsFor.name}`;
  const time = `${lengthText((span.toMs ?? range.nowMs) - span.fromMs)}${span.toMs === null ? ' until now' : ''}`;
  const bar = el(
    'div',
    {
      class: `span${span.holdsLock ? ' holds' : ''}${span.waitsFor === null ? '' : ' waits'}${span.toMs === null ? ' lasts' : ''}`,
      title: `${span.state} for ${time} (${span.row}${waits})`,
      'data-state': span.state,
    },
    `${span.state}${span.holdsLock ? ' (lock)' : ''}`,
    ...(span.waitsFor === null ? [] : [el('i', {}, ` ◆ ${short(span.waitsFor.name)}`)]),
  );
  place(bar, span, range);
  bar.style.setProperty('--hue', String(hue(span.state)));
  return bar;
}

function place(bar: HTMLElement, span: WireSpan, range: Range): void {
  const left = shareOf(range, span.fromMs);
  bar.style.left = `${left}%`;
  bar.style.width = `${Math.max(0.3, shareOf(range, span.toMs ?? range.toMs) - left)}%`;
}

/**
 * An arrow from the lane of what was waited for to the end of each wait. That a Machine and its own KubeadmConfig wait for each other
 * is shown for the selected lane only: every lane does.
 */
function drawWaits(
  body: HTMLElement,
  lanes: readonly WireLane[],
  {
    places,
    range,
    selected,
  }: { readonly places: ReadonlyMap<string, HTMLElement>; readonly range: Range; readonly selected: string },
): void {
  for (const lane of lanes) {
    for (const span of lane.spans) {
      if (span.isOwn && lane.key !== selected) continue;
      const from = span.waitsForKey === null ? undefined : places.get(span.waitsForKey);
      const to = places.get(lane.key);
      const track = to?.querySelector<HTMLElement>('.track');
      if (from === undefined || to === undefined || track === null || track === undefined) continue;
      const share = shareOf(range, span.toMs ?? range.toMs);
      const down = from.offsetTop < to.offsetTop;
      const top = down ? from.offsetTop + from.offsetHeight : to.offsetTop + to.offsetHeight;
      const bottom = down ? to.offsetTop : from.offsetTop;
      const name = lanes.find((each) => each.key === span.waitsForKey)?.name ?? '';
      const arrow = el('div', {
        class: `wait ${down ? 'down' : 'up'}`,
        'data-from': span.waitsForKey ?? '',
        'data-to': lane.key,
        title: `${lane.name} waited in ${span.state} for ${name}`,
      });
      arrow.style.left = `${track.offsetLeft + (track.offsetWidth * share) / 100}px`;
      arrow.style.top = `${top}px`;
      arrow.style.height = `${Math.max(2, bottom - top)}px`;
      body.append(arrow);
    }
  }
}

/** A colour by a state's name: the same name has the same colour everywhere. */
function hue(state: string): number {
  let hash = 0;
  for (const character of state) hash = (hash * 31 + character.charCodeAt(0)) % 360;
  return hash;
}
