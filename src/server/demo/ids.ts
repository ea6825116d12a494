import {derivedId} from '../../core/derived-id.ts';

/** Returns the id of something in the demo. It is the same on every server. */
export const demoId = (kind: string, name: string): string => derivedId('demonstration', kind, name);
