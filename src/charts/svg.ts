// Draws a laid-out chart as SVG. The same drawing serves the files in visualizations/ and the inspector's page: states and
// arrows carry data attributes, so that a viewer highlights them by switching classes and never draws again.

import { boxLines, edgeIds, edgeLabels, LINE_HEIGHT, NAME_HEIGHT, selfEdge, STYLE, type LabelLine } from './drawing.js';
import type { Box, ChartEdge, ChartLayout, ChartModel, ChartState, Line } from './model.js';

/** An SVG document of the chart. `links` is the address of the requirement table that row ids lead to, or null for no links. */
export function chartSvg(model: ChartModel, layout: ChartLayout, links: string | null): string {
  const parents = new Set(model.states.map((state) => state.parent).filter((parent) => parent !== null));
  const frames = model.states.filter((state) => parents.has(state.id));
  const leaves = model.states.filter((state) => !parents.has(state.id));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-machine="${escape(model.id)}" viewBox="0 0 ${layout.width} ${layout.height}" width="${layout.width}" height="${layout.height}" role="img" aria-label="State chart of ${escape(model.id)}">`,
    `<style>${STYLE}</style>`,
    `<defs>${marker('arrow', 'head')}${marker('arrow-last', 'head last', 5)}${marker('arrow-failure', 'head failure')}</defs>`,
    `<rect class="paper" x="0" y="0" width="${layout.width}" height="${layout.height}" rx="8"/>`,
    ...frames.map((state) => frame(state, layout.boxes[state.id])),
    ...model.edges.map((edge) => arrow(edge, layout.lines[edge.id], links)),
    ...leaves.map((state) => stateBox(model, state, layout.boxes[state.id], links)),
    '</svg>',
    '',
  ].join('\n');
}

/** Escapes text for XML. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function marker(id: string, className: string, size = 8): string {
  return `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="${size}" markerHeight="${size}" orient="auto-start-reverse"><path class="${className}" d="M0,0 L8,4 L0,8 z"/></marker>`;
}

function frame(state: ChartState, box: Box | undefined): string {
  if (box === undefined) return '';
  return `<g class="frame" data-state="${escape(state.id)}"><rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="10"/><text x="${box.x + 12}" y="${box.y + 20}">${escape(state.id)}</text><title>${escape(state.description)}</title></g>`;
}

function stateBox(model: ChartModel, state: ChartState, box: Box | undefined, links: string | null): string {
  if (box === undefined) return '';
  const { stays, again } = boxLines(model, state.id);
  const top = box.y + NAME_HEIGHT + LINE_HEIGHT;
  const lines = (texts: readonly LabelLine[], from: number): string =>
    texts.map((text, index) => labelLine(text, box.x + 12, top + (from + index) * LINE_HEIGHT, links)).join('');
  const self = selfEdge(model, state.id);
  const healing = model.healing[state.id] ?? [];
  const heal =
    healing.length === 0
      ? ''
      : `<g class="healing"><path d="M${box.x - 20},${box.y + 15} L${box.x - 2},${box.y + 15}" marker-end="url(#arrow)"/><title>${escape(`From any state: ${healing.map((row) => row.rowId).join(', ')}`)}</title></g>`;
  const start = state.initial
    ? `<circle class="start" cx="${box.x + box.width / 2}" cy="${box.y - 18}" r="5"/><path class="start-line" d="M${box.x + box.width / 2},${box.y - 13} L${box.x + box.width / 2},${box.y - 2}" marker-end="url(#arrow)"/>`
    : '';
  return [
    `<g class="state" data-state="${escape(state.id)}" tabindex="-1">`,
    `<title>${escape(state.description)}</title>`,
    heal,
    start,
    `<rect class="box" x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="9"/>`,
    `<text class="name" x="${box.x + box.width / 2}" y="${box.y + 20}">${escape(state.id)}</text>`,
    lines(stays, 0),
    self === undefined ? '' : `<g class="edge self" ${edgeNames(self)}>${lines(again, stays.length)}</g>`,
    `<g class="badge" data-badge="${escape(state.id)}" transform="translate(${box.x + box.width - 6},${box.y})"><rect x="-16" y="-10" width="32" height="20" rx="10"/><text x="0" y="4"></text></g>`,
    '</g>',
  ].join('');
}

function arrow(edge: ChartEdge, line: Line | undefined, links: string | null): string {
  if (line === undefined) return '';
  const path = line.points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x},${y}`).join(' ');
  const kind = edge.failure ? ' failure' : '';
  const label = line.label;
  const texts =
    label === null
      ? []
      : edgeLabels(edge).map((text, index) => labelLine(text, label.x + 4, label.y + 12 + index * LINE_HEIGHT, links));
  return [
    `<g class="edge${kind}" ${edgeNames(edge)}>`,
    `<title>${escape(tooltipOf(edge))}</title>`,
    `<path class="line" d="${path}" marker-end="url(#${edge.failure ? 'arrow-failure' : 'arrow'})"/>`,
    label === null
      ? ''
      : `<rect class="label-back" x="${label.x}" y="${label.y}" width="${label.width}" height="${label.height}"/><text class="ids" x="${label.x + label.width / 2}" y="${label.y + label.height / 2}">${escape(edgeIds(edge))}</text>`,
    ...texts,
    '</g>',
  ].join('');
}

function edgeNames(edge: ChartEdge): string {
  return `data-edge="${escape(edge.id)}" data-rows="${escape(edge.rows.map((row) => row.rowId).join(' '))}"`;
}

function tooltipOf(edge: ChartEdge): string {
  return edge.rows.map((row) => `${row.rowId} ${row.title}: ${row.description}`).join('\n');
}

function labelLine({ text, rows }: LabelLine, x: number, y: number, links: string | null): string {
  const line = `<text class="label" data-rows="${escape(rows.join(' '))}" x="${x}" y="${y}">${escape(text)}</text>`;
  const rowId = rows.length === 1 ? rows[0] : undefined;
  return links === null || rowId === undefined
    ? line
    : `<a href="${escape(`${links}#${rowId.toLowerCase()}`)}">${line}</a>`;
}
