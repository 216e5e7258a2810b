// Both kinds of reviews are notes of the type weekly_review: the API has no other type for them. The title of a
// monthly one begins with these words.

import type { Schemas } from './api/client';

export const monthlyTitle = 'Monthly review';

/** Reports whether a note is the review of a month. */
export const isMonthlyReview = (note: Schemas['Note']) =>
  note.type === 'weekly_review' && note.title.startsWith(monthlyTitle);
