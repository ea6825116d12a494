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
