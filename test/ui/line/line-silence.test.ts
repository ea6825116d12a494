import {expect, onTestFinished, test, vi} from 'vitest';
import {startedTool} from '../../../src/core/session/reduce-transcript.ts';
import type {Transcript} from '../../../src/core/session/transcript.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {followSilence} from '../../../src/ui/linear.ts';

const run = {id: 'r', model: 'custom/demo', server: 'local', startedAt: '2026-01-01T00:00:00.000Z'};

test('[21] without a screen a silent model is told after half a minute and each doubling, but no tool that works', () => {
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const store = createAppStore();
	const said: string[] = [];
	followSilence(store, text => said.push(text));
	const change = (part: Partial<Transcript>) =>
		store.setState(({transcript}) => ({transcript: {...transcript, seq: transcript.seq + 1, ...part}}));
	const after = (seconds: number) => {
		vi.advanceTimersByTime(seconds * 1000);
		return said.splice(0);
	};

	change({run});
	expect(after(29)).toEqual([]);
	expect(after(100)).toEqual([
		'No output for 30 s · Ctrl+C interrupt',
		'No output for 1 m 00 s · Ctrl+C interrupt',
		'No output for 2 m 00 s · Ctrl+C interrupt',
	]);
	change({});
	expect(after(25)).toEqual([]);
	const call = {type: 'tool-call', id: 'c', messageId: 'm', name: 'run_command', arguments: {command: 'make'}} as const;
	change({open: [startedTool(call, run.model, run.startedAt)]});
	expect(after(300)).toEqual([]);
	change({open: []});
	expect(after(40)).toEqual(['No output for 30 s · Ctrl+C interrupt']);
	change({run: undefined});
	expect(after(300)).toEqual([]);
	expect(vi.getTimerCount()).toBe(0);
});
