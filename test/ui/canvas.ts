import type {Environment} from '../../src/core/environment.ts';
import type {JsonObject} from '../../src/core/json.ts';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createAppStore} from '../../src/store/store.ts';
import {renderMarkdown, renderMarkdownParts} from '../../src/terminal/markdown/markdown.ts';
import {createMarkdownStream} from '../../src/terminal/markdown/markdown-stream.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {blockLines} from '../../src/ui/transcript/block-lines.ts';
import {draftLines} from '../../src/ui/transcript/draft-lines.ts';
import {createPainter} from '../../src/ui/transcript/painter.ts';

export const palette = createPalette({color: false});

type Options = {
	readonly columns?: number;
	readonly rows?: number;
	readonly clock?: () => number;
	readonly env?: Environment;
};

/** A painter with a real store and real Markdown, and everything that it wrote. */
export function canvas({columns = 60, rows = 24, clock, env}: Options = {}) {
	const store = createAppStore();
	store.getState().setSize({columns, rows});
	const live = createLiveLines();
	let written: string[] = [];
	let writes = 0;
	const write = (data: string) => {
		writes++;
		written.push(...data.split('\n').slice(0, -1));
	};
	const tools = {blockLines, draftLines, renderMarkdown, renderMarkdownParts, createMarkdownStream};
	const painter = createPainter({store, palette, live, clock, env, write}, tools);
	let seq = 0;
	let session = '';
	const open = (id: string) => {
		session = id;
		seq = 0;
		store.getState().openTranscript(emptyTranscript(id));
		painter.advance();
	};

	open('s1');
	/** Events as records of the session, three seconds apart. */
	const recorded = (events: readonly AgentEvent[]): readonly Recorded[] =>
		events.map(event => ({
			v: 1,
			seq: seq++,
			at: new Date(Date.UTC(2026, 0, 1) + seq * 3000).toISOString(),
			session,
			server: 'local',
			event,
		}));
	return {
		store,
		painter,
		open,
		recorded,
		/** Applies events as one batch. */
		feed(...events: readonly AgentEvent[]) {
			store.getState().applyRecords(recorded(events));
			painter.advance();
		},
		/** The lines that were written since the last call. */
		taken() {
			const lines = written;
			written = [];
			return lines;
		},
		writes: () => writes,
		live: live.getState,
	};
}

export const user = (text: string, id = 'u1'): AgentEvent => ({type: 'user-message', id, text});
export const say = (text: string, id = 't1'): AgentEvent => ({type: 'text-delta', id, messageId: 'm1', text});
export const think = (text: string): AgentEvent => ({type: 'reasoning-delta', id: 'r1', messageId: 'm1', text});
export const call = (id: string, name = 'read_file', args: JsonObject = {path: 'README.md'}): AgentEvent => ({
	type: 'tool-call',
	id,
	messageId: 'm1',
	name,
	arguments: args,
});
export const result = (id: string, output = 'x'.repeat(2100), failed = false): AgentEvent => ({
	type: 'tool-result',
	id,
	output,
	failed,
	milliseconds: 400,
});
export const start = {type: 'run-start', runId: 'r', model: 'custom/demo'} as const satisfies AgentEvent;
export const end = {type: 'run-end', reason: 'done', stopReason: 'end_turn'} as const satisfies AgentEvent;
