// Swim lanes of one cluster's actors: who was in which state when, who held the lock, who waited for whom.

import { el } from './dom.js';
import { age } from './model.js';

interface Timeline {
  readonly now: number;
  readonly lanes: readonly {
    readonly key: string;
    readonly name: string;
    readonly role: string;
    readonly spans: readonly {
      readonly state: string;
      readonly fromMs: number;
      readonly toMs: number | null;
      readonly row: string;
    }[];
  }[];
}

/** States in which an actor holds the cluster's init lock. */
const HOLDS_LOCK = new Set(['Initializing']);

/** Draws the lanes of a cluster into an element. */
export async function showTimeline(
  element: HTMLElement,
  namespace: string,
  cluster: string,
  select: (key: string) => void,
): Promise<void> {
  const answer = await fetch(
    `/api/timeline?ns=${encodeURIComponent(namespace)}&cluster=${encodeURIComponent(cluster)}`,
  );
  const timeline = (await answer.json()) as Timeline;
  const starts = timeline.lanes.flatMap((lane) => lane.spans.map((span) => span.fromMs));
  if (starts.length === 0) {
    element.replaceChildren(el('p', { class: 'empty' }, 'Select an actor that belongs to a cluster.'));
    return;
  }
  const first = Math.min(...starts);
  const length = Math.max(1, timeline.now - first);
  const lanes = timeline.lanes.map((lane) =>
    el(
      'div',
      { class: 'lane' },
      el(
        'span',
        { class: 'who', title: `${lane.name} ${lane.role}` },
        `${lane.name} `,
        el('span', { class: 'quiet' }, lane.role),
      ),
      el(
        'div',
        { class: 'bar', tabindex: '0', onclick: () => select(lane.key) },
        ...lane.spans.map((span) => {
          const to = span.toMs ?? timeline.now;
          const bar = el(
            'div',
            {
              class: `span${HOLDS_LOCK.has(span.state) ? ' holds' : ''}`,
              title: `${span.state} for ${age(to - span.fromMs)} (${span.row})`,
            },
            span.state,
          );
          bar.style.left = `${((span.fromMs - first) / length) * 100}%`;
          bar.style.width = `${Math.max(0.2, ((to - span.fromMs) / length) * 100)}%`;
          bar.style.background = shade(span.state);
          return bar;
        }),
      ),
    ),
  );
  element.replaceChildren(
    el('h2', {}, `${namespace}/${cluster}`),
    el(
      'p',
      { class: 'quiet' },
      `${age(length)} from the first transition to now; a thick lower edge marks who holds the init lock.`,
    ),
    ...lanes,
  );
}

/** A quiet colour by a state's name: the same name has the same colour everywhere. */
function shade(state: string): string {
  let hash = 0;
  for (const character of state) hash = (hash * 31 + character.charCodeAt(0)) % 360;
  return `hsl(${hash} 60% 60% / .35)`;
}
