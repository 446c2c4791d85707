// Lays a chart out with elkjs: layered, top down, right-angled arrows. Runs at build time only; the operator and the page
// carry the finished layouts (src/charts/layouts/).

import ElkModule from 'elkjs/lib/elk.bundled.js';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { edgeLabelSize, stateSize } from '../src/charts/drawing.js';
import {
  textHash,
  type Box,
  type ChartEdge,
  type ChartLayout,
  type ChartModel,
  type Line,
} from '../src/charts/model.js';

const Elk = ElkModule as unknown as new () => { layout(graph: ElkNode): Promise<ElkNode> };

const OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.spacing.nodeNode': '30',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.thoroughness': '30',
  'elk.padding': '[top=36,left=32,bottom=20,right=24]',
  'elk.randomSeed': '1',
};

/** The layout of a chart. Deterministic: the same chart gives the same picture. */
export async function layoutOf(model: ChartModel): Promise<ChartLayout> {
  const parents = new Set(model.states.map((state) => state.parent).filter((parent) => parent !== null));
  const leaf = (id: string): ElkNode => ({ id, ...stateSize(model, id) });
  const node = (id: string): ElkNode =>
    parents.has(id)
      ? {
          id,
          layoutOptions: { 'elk.padding': '[top=40,left=40,bottom=20,right=20]' },
          children: model.states.filter((state) => state.parent === id).map((state) => node(state.id)),
        }
      : leaf(id);
  const graph: ElkNode = {
    id: '$root',
    layoutOptions: OPTIONS,
    children: model.states.filter((state) => state.parent === null).map((state) => node(state.id)),
    edges: drawnEdges(model).map((edge): ElkExtendedEdge => {
      const size = edgeLabelSize(edge);
      return { id: edge.id, sources: [edge.source], targets: [edge.target], labels: [{ text: edge.id, ...size }] };
    }),
  };
  const placed = await new Elk().layout(graph);
  const boxes: Record<string, Box> = {};
  collectBoxes(placed, 0, 0, boxes);
  const lines: Record<string, Line> = {};
  collectLines(placed, boxes, lines);
  return {
    modelHash: layoutHash(model),
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes,
    lines,
  };
}

/** What a layout depends on: sizes and connections, not descriptions. */
export function layoutHash(model: ChartModel): string {
  const shape = {
    states: model.states.map((state) => [state.id, state.parent, stateSize(model, state.id)]),
    edges: drawnEdges(model).map((edge) => [edge.id, edgeLabelSize(edge)]),
    options: OPTIONS,
  };
  return textHash(JSON.stringify(shape));
}

/** Arrows between two states: one that leads back to its own state is text in its box. */
function drawnEdges(model: ChartModel): readonly ChartEdge[] {
  return model.edges.filter((edge) => edge.source !== edge.target);
}

const round = (value: number): number => Math.round(value * 10) / 10;

function collectBoxes(node: ElkNode, dx: number, dy: number, boxes: Record<string, Box>): void {
  for (const child of node.children ?? []) {
    const x = dx + (child.x ?? 0);
    const y = dy + (child.y ?? 0);
    boxes[child.id] = { x: round(x), y: round(y), width: round(child.width ?? 0), height: round(child.height ?? 0) };
    collectBoxes(child, x, y, boxes);
  }
}

/** Elk gives an edge's coordinates relative to the node that contains it (`container`). */
function collectLines(root: ElkNode, boxes: Readonly<Record<string, Box>>, lines: Record<string, Line>): void {
  const visit = (node: ElkNode): void => {
    for (const edge of node.edges ?? []) {
      const container = (edge as ElkExtendedEdge & { container?: string }).container ?? node.id;
      const origin = boxes[container] ?? { x: 0, y: 0, width: 0, height: 0 };
      const section = edge.sections?.[0];
      if (section === undefined) continue;
      const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(
        (point): readonly [number, number] => [round(point.x + origin.x), round(point.y + origin.y)],
      );
      const label = edge.labels?.[0];
      lines[edge.id] = {
        points,
        label:
          label === undefined
            ? null
            : {
                x: round((label.x ?? 0) + origin.x),
                y: round((label.y ?? 0) + origin.y),
                width: round(label.width ?? 0),
                height: round(label.height ?? 0),
              },
      };
    }
    for (const child of node.children ?? []) visit(child);
  };
  visit(root);
}
