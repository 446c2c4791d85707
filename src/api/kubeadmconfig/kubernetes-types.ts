// Descriptions of Kubernetes' own types that appear inside a KubeadmConfig: environment variables, taints, conditions.
//
// Their fields are fixed by Kubernetes, so both API versions use them unchanged.

import { normaliseQuantity } from '../quantity.js';
import {
  always,
  evenEmpty,
  flag,
  inForm,
  int64,
  list,
  object,
  oneOf,
  raw,
  required,
  text,
  type TypeOf,
} from '../schema.js';
import { time } from '../text-forms.js';

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const atomic = { 'x-kubernetes-map-type': 'atomic' } as const;

const keyRef = (what: string) =>
  object(
    `Takes the value from one key of a ${what}.`,
    {
      name: text(`Name of the ${what}.`, { default: '' }),
      key: required(always(text(`Key inside the ${what}.`))),
      optional: flag(`Whether the ${what} or its key may be missing.`),
    },
    atomic,
  );

const envVarSource = object('Where the value comes from when it is not given in `value`.', {
  fieldRef: evenEmpty(
    object(
      'Takes the value from a field of the Pod.',
      {
        apiVersion: text('API version in which `fieldPath` is written, v1 by default.'),
        fieldPath: required(always(text('Path of the field.'))),
      },
      atomic,
    ),
  ),
  resourceFieldRef: evenEmpty(
    object(
      "Takes the value from the container's resources.",
      {
        containerName: text('Name of the container.'),
        resource: required(always(text('Resource to read, for example `limits.cpu`.'))),
        divisor: always(
          inForm(
            raw<string | number>({
              description: 'Unit in which the resource is written, 1 by default.',
              anyOf: [{ type: 'integer' }, { type: 'string' }],
              pattern: quantityPattern,
              'x-kubernetes-int-or-string': true,
            }),
            normaliseQuantity,
          ),
        ),
      },
      atomic,
    ),
  ),
  configMapKeyRef: evenEmpty(keyRef('ConfigMap')),
  secretKeyRef: evenEmpty(keyRef('Secret')),
  fileKeyRef: evenEmpty(
    object(
      'Takes the value from a variable inside a file of an emptyDir volume.',
      {
        volumeName: required(always(text('Name of the volume that holds the file.'))),
        path: required(always(text('Path of the file, relative to the volume.'))),
        key: required(always(text('Name of the variable inside the file.'))),
        optional: flag('Whether the file or the variable may be missing.', { default: false }),
      },
      atomic,
    ),
  ),
});

/** An environment variable of a control plane component (core/v1 EnvVar). */
export const envVar = object('An environment variable.', {
  name: required(always(text('Name of the variable.'))),
  value: text('Value of the variable. `$(NAME)` is replaced by variables that are set before it.'),
  valueFrom: evenEmpty(envVarSource),
});
/** An environment variable of a control plane component (core/v1 EnvVar). */
export type EnvVar = TypeOf<typeof envVar>;

/** A taint of a Node (core/v1 Taint). */
export const taint = object('A taint, which keeps Pods without a matching toleration off the Node.', {
  key: required(always(text('Key of the taint.'))),
  value: text('Value of the taint.'),
  effect: required(
    always(text('What happens to Pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute.')),
  ),
  timeAdded: time('When the taint was added. Used with NoExecute only.'),
});
/** A taint of a Node (core/v1 Taint). */
export type Taint = TypeOf<typeof taint>;

const condition = object('One observation about the object.', {
  type: required(
    text('Name of the observation, in CamelCase or with a domain prefix.', {
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
  ),
  status: required(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
  observedGeneration: int64('The metadata.generation of the object that the observation is about.', { minimum: 0 }),
  lastTransitionTime: required(time('When `status` changed last.')),
  reason: required(
    text('Why it holds or not, in one CamelCase word.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  message: required(always(text('Details for people. May be empty.', { maxLength: 32768 }))),
});

/** The list of standard conditions. */
export const conditions = list(
  'Observations about the object: Ready, DataSecretAvailable, CertificatesAvailable and Paused, and ActorState, which records the state of the object in its life.',
  condition,
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'], maxItems: 32 },
);

/** The list of conditions in the shape that Cluster API used before it adopted the standard one. */
export const legacyConditions = list(
  'Observations about the object in the shape of Cluster API v1beta1.',
  object('One observation about the object.', {
    type: required(text('Name of the observation, in CamelCase.', { minLength: 1, maxLength: 256 })),
    status: required(text('Whether it holds: True, False or Unknown.')),
    severity: text('How bad it is that the status is False: Error, Warning or Info. Empty when the status is True.', {
      maxLength: 32,
    }),
    lastTransitionTime: required(time('When the condition changed last.')),
    reason: text('Why it does not hold, in one CamelCase word.', { minLength: 1, maxLength: 256 }),
    message: text('Details for people.', { minLength: 1, maxLength: 10240 }),
  }),
);
