import {defaultKeys} from './default-keys.ts';

/** The keys of every view that has the whole window. */
const everywhere = {'app.suspend': defaultKeys['app.suspend'], 'app.redraw': defaultKeys['app.redraw']} as const;

/** The actions of the transcript view, with their keys. The key that opens it closes it, too. */
export const transcriptKeys = {
	...everywhere,
	'app.transcript': defaultKeys['app.transcript'],
	'transcript.open': ['enter'],
	'transcript.previous-message': ['[', 'shift+up'],
	'transcript.next-message': [']', 'shift+down'],
	'transcript.search': ['/'],
	'transcript.next-match': ['n'],
	'transcript.previous-match': ['N'],
	'transcript.copy': ['c'],
	'transcript.log': ['L'],
	'transcript.up': ['up', 'k'],
	'transcript.down': ['down', 'j'],
	'transcript.page-up': ['page-up', 'b'],
	'transcript.page-down': ['page-down', 'space'],
	'transcript.first': ['home', 'g'],
	'transcript.last': ['end', 'G'],
	'transcript.close': ['q'],
} as const;

export type TranscriptAction = keyof typeof transcriptKeys;

/** The actions of the log viewer, with their keys. The key that opens it closes it, too. */
export const viewerKeys = {
	...everywhere,
	'logs.viewer': defaultKeys['logs.viewer'],
	'viewer.up': ['up', 'k'],
	'viewer.down': ['down', 'j'],
	'viewer.page-up': ['page-up', 'b'],
	'viewer.page-down': ['page-down', 'space'],
	'viewer.first': ['home', 'g'],
	'viewer.last': ['end', 'G'],
	'viewer.left': ['left'],
	'viewer.right': ['right'],
	'viewer.search': ['/'],
	'viewer.next-match': ['n'],
	'viewer.previous-match': ['N'],
	'viewer.filter': ['&'],
	'viewer.highlight': ['h'],
	'viewer.level': ['l'],
	'viewer.filter-all': ['='],
	'viewer.wrap': ['w'],
	'viewer.raw': ['p'],
	'viewer.times': ['t'],
	'viewer.fold': ['enter'],
	'viewer.mark': ['m'],
	'viewer.copy': ['c'],
	'viewer.save': ['s'],
	'viewer.attach': ['a'],
	'viewer.transcript': ['L'],
	'viewer.next-log': ['tab'],
	'viewer.previous-log': ['shift+tab'],
	'viewer.help': ['?'],
	'viewer.close': ['q'],
} as const;

export type LogViewerAction = keyof typeof viewerKeys;

/** The actions of the review of changes, with their keys. */
export const reviewKeys = {
	...everywhere,
	'review.select': ['space', 'x'],
	'review.confirm': ['enter'],
	'review.up': ['up', 'k'],
	'review.down': ['down', 'j'],
	'review.page-up': ['page-up', 'b'],
	'review.page-down': ['page-down', 'f'],
	'review.first': ['home', 'g'],
	'review.last': ['end', 'G'],
	'review.fold': ['tab', 'left', 'right'],
	'review.close': ['q'],
} as const;

export type ReviewAction = keyof typeof reviewKeys;

/** The actions of a replay, with their keys. */
export const replayKeys = {
	'app.suspend': everywhere['app.suspend'],
	'replay.pause': ['space'],
	'replay.slower': ['left', 'down', '-'],
	'replay.faster': ['right', 'up', '+'],
	'replay.stop': ['q', 'ctrl+d'],
} as const;

export type ReplayAction = keyof typeof replayKeys;
