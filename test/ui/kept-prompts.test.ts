import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createRehearsal, prepareWhileTyping} from '../../src/ui/kept-prompts.ts';

function typing(before = '') {
	const store = createAppStore();
	const write = (text: string) => store.getState().setComposer(setComposerText(store.getState().composer, text));
	write(before);
	const prepared: string[] = [];
	const clock = {now: 0};
	const prepare = async (line: string) => void prepared.push(line);
	const waiting: (() => void)[] = [];
	const later = (run: () => void) => void waiting.push(run);
	const stop = prepareWhileTyping({prepare}, store, {now: () => clock.now, later});
	const draw = () => {
		for (const run of waiting.splice(0)) {
			run();
		}
	};
	return {write, prepared, clock, stop, draw};
}

test('a line is prepared with its first key, and again after ten seconds of typing', () => {
	const {write, prepared, clock, stop, draw} = typing();
	write('a');
	// The key is drawn first.
	expect(prepared).toEqual([]);
	draw();
	write('ab');
	clock.now = 10_001;
	write('abc');
	write('abcd');
	write('');
	write('b');
	stop();
	write('');
	write('c');
	draw();
	expect(prepared).toEqual(['a', 'abc', 'b']);
});

test('what was typed while the app started is prepared at once', () => {
	const {prepared, draw} = typing('Hi');
	draw();
	expect(prepared).toEqual(['Hi']);
});

test('a command is prepared before it can run: its line and Enter may come at once', () => {
	const {write, prepared} = typing();
	write('/resume');
	expect(prepared).toEqual(['/resume']);
});

/** An app in which the drawing of an answer is tried out, and in which a message is sent. */
function rehearsing() {
	const store = createAppStore();
	store.getState().openTranscript({...store.getState().transcript, session: 's'});
	const times: string[] = [];
	const waiting: (() => void)[] = [];
	const rehearsal = createRehearsal(
		store,
		() => void times.push(store.getState().transcript.run ? 'waiting' : 'typing'),
		run => void waiting.push(run),
	);
	let seq = 0;
	const apply = (event: AgentEvent) =>
		store
			.getState()
			.applyRecords([{v: 1, seq: seq++, at: '2026-01-01T00:00:00.000Z', session: 's', server: 'local', event}]);
	return {
		...{rehearsal, times, apply},
		write: (text: string) => store.getState().setComposer(setComposerText(store.getState().composer, text)),
		send: () => apply({type: 'run-start', runId: 'r', model: 'custom/demo'}),
		sent() {
			for (const run of waiting.splice(0)) {
				run();
			}
		},
	};
}

test('the drawing of an answer is tried out while the user types', () => {
	const {write, rehearsal, times} = rehearsing();
	write('Hi');
	rehearsal.prepared();
	expect(times).toEqual(['typing']);
});

test('a message that is sent before all is loaded does not wait for the drawing of its answer', () => {
	const {write, send, sent, rehearsal, times} = rehearsing();
	write('Hi');
	write('');
	rehearsal.prepared();
	send();
	rehearsal.prepared();
	expect(times).toEqual([]);
	sent();
	expect(times).toEqual(['waiting']);
});

test('the drawing of an answer is not tried out once one is there, or the app has ended', () => {
	const first = rehearsing();
	first.send();
	first.apply({type: 'text-delta', id: 't', messageId: 'a', text: 'Hello'});
	first.sent();
	const second = rehearsing();
	second.rehearsal.stop();
	second.send();
	second.sent();
	expect([...first.times, ...second.times]).toEqual([]);
});
