// The stages of routine items.

import type { Schemas } from '../../lib/api/client';

export type Item = Schemas['RoutineItem'];
export type Stage = Item['stage'];

export const stages: { value: Stage; label: string }[] = [
  { value: 'pre', label: 'Before' },
  { value: 'during', label: 'During' },
  { value: 'post', label: 'After' },
];
