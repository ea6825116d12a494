import {expect, test} from 'vitest';
import {addPiece, type CallDraft, draftsAfter} from '../../../src/core/session/call-draft.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';

const piece = (id: string, name: string, text = '') => ({type: 'call-piece', id, name, text}) as const;
const drafts = (...pieces: readonly ReturnType<typeof piece>[]) => pieces.reduce(addPiece, []);
const names = (list: readonly CallDraft[]) => list.map(({name, arguments: args}) => [name, args.texts['path']]);

test('pieces are joined by the id of their call', () => {
	const list = drafts(piece('0', 'edit_file'), piece('1', 'read_file', '{"path":"b'), piece('0', '', '{"path":"a"'));
	expect(names(list)).toEqual([
		['edit_file', 'a'],
		['read_file', 'b'],
	]);
});

test('a complete call replaces its draft, and everything else that ends the answer drops them', () => {
	const list = drafts(piece('0', 'edit_file'), piece('1', 'read_file'));
	const call: AgentEvent = {type: 'tool-call', id: 'c', messageId: 'm', name: 'edit_file', arguments: {}};
	expect(names(draftsAfter(list, call))).toEqual([['read_file', undefined]]);
	expect(draftsAfter(list, {type: 'text-delta', id: 't', messageId: 'm', text: 'x'})).toBe(list);
	for (const event of [
		{type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'},
		{type: 'run-start', runId: 'r', model: 'm'},
		{type: 'user-message', id: 'u', text: 'x'},
	] as const) {
		expect(draftsAfter(list, event)).toEqual([]);
	}

	expect(addPiece(list, {type: 'pieces-dropped'})).toEqual([]);
});

test('a model that begins calls without end shows the last ones', () => {
	expect(drafts(...Array.from({length: 500}, (_, index) => piece(`${index}`, 'x')))).toHaveLength(8);
});
