import {derivedId} from '../ingest/ids.ts';

/** The id of something in the demonstration, the same in every server that shows it. */
export const demoId = (kind: string, name: string): string => derivedId('demonstration', kind, name);
