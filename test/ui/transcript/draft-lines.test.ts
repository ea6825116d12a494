import {expect, test} from 'vitest';
import {addPiece, type CallDraft} from '../../../src/core/session/call-draft.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {draftLines} from '../../../src/ui/transcript/draft-lines.ts';
import {call, canvas, palette, result, say, start, user} from '../canvas.ts';

const piece = (text: string, name = 'edit_file', id = '0') => ({type: 'call-piece', id, name, text}) as const;

function lines(text: string, name?: string, width = 40, hide?: (text: string) => string) {
	const [draft] = addPiece([], {...piece(text, name), hide});
	return draft ? draftLines(draft as CallDraft, {width, palette}) : [];
}

test.each([
	['', undefined, ['◌ Edit …']],
	['{"path":"src/a.ts","ed', undefined, ['◌ Edit src/a.ts …']],
	[
		'{"path":"src/a.ts","edits":[{"old_text":"x","new_text":"1\\n2\\n\\t3\\n4',
		undefined,
		['◌ Edit src/a.ts … 4 lines', '  1', '  2', '   3'],
	],
	['{"command":"npm te', 'run_command', ['◌ Run npm …']],
	['{"items":[{"text":"a', 'todo', ['◌ Todo …']],
	['{"query":"a", "limit":3', 'mcp_find', ['◌ mcp_find a …']],
	['{"query":"a", "limit":3', 'mcp__docs__find', ['◌ docs · find a …']],
	[`{"path":"${'x'.repeat(90)}","content":"y`, 'write_file', [`◌ Write ${'x'.repeat(22)}… … 1 line`]],
])('a call that is written is shown as far as it came: %s', (text, name, expected) => {
	expect(lines(text, name)).toEqual(expected);
});

test('what the model writes is made safe and fits [1]', () => {
	const evil = '\u001B[2J\u202E\u0007'.repeat(30);
	for (const name of ['edit_file', `x${evil}`]) {
		for (const line of lines(JSON.stringify({path: evil, content: `${evil}\n${evil}`}), name)) {
			expect(plainText(line)).not.toMatch(/[\u0000-\u001F\u007F\u202E]/);
			expect(lineWidth(line)).toBeLessThanOrEqual(40);
		}
	}
});

test('a draft is drawn in the live region alone, until the complete call replaces it', () => {
	const {store, painter, feed, taken, live} = canvas();
	feed(start, user('Go'), say('Let me see.'));
	taken();
	const show = (...pieces: readonly ReturnType<typeof piece>[]) => {
		store.getState().applyRecords(pieces);
		painter.advance();
	};
	show(piece(''), piece('{"path":"a.ts","edits":[{"new_text":"one'));
	expect([taken(), live()]).toEqual([[], ['', '● Let me see.', '', '◌ Edit a.ts … 1 line']]);
	show(piece('\\ntwo"}]}'));
	expect(live()).toEqual(['', '● Let me see.', '', '◌ Edit a.ts … 2 lines', '  one', '  two']);
	feed(call('c', 'edit_file', {path: 'a.ts', edits: []}));
	expect([taken(), live()]).toEqual([
		['', '● Let me see.'],
		['', '◌ Edit a.ts …'],
	]);
	feed(result('c', 'Changed a.ts.'));
	expect(live()).toEqual([]);
});

test('no piece of a credential is drawn while it is written, and nothing that was drawn changes [8]', () => {
	const key = `sk-ant-api03-${'a1'.repeat(12)}`;
	for (const [name, text] of [
		['run_command', JSON.stringify({command: `curl -H "X-Api-Key: ${key}" https://x.test`})],
		['write_file', JSON.stringify({path: 'a.ts', content: `const key = '${key}';\nconst more = 1;\n`})],
	] as const) {
		let before = '';
		for (let end = 1; end <= text.length; end++) {
			const drawn = lines(text.slice(0, end), name, 120).map(plainText).join('\n');
			expect(drawn).not.toContain('sk-ant');
			const body = drawn.replace(/ … .*| …$/gm, '').replace(/^◌ /, '');
			expect(body.startsWith(before.trimEnd()) || name === 'write_file').toBe(true);
			before = body;
		}
	}
});

test('a known value is masked however it is split, also next to a cut, and a secret file shows only its length [8]', () => {
	const value = 'correct-horse-battery';
	const hide = (text: string) => text.replaceAll(value, '***');
	const drawn = (args: object, name: string) => {
		const text = JSON.stringify(args);
		const [draft] = [...text].reduce<readonly CallDraft[]>((drafts, sign, at) => {
			const next = addPiece(drafts, {...piece(sign, at === 0 ? name : ''), hide});
			const shown = draftLines(next[0] as CallDraft, {width: 2000, palette}).join('\n');
			expect(shown).not.toMatch(/correct|horse|battery|hunter22/);
			return next;
		}, []);
		return draft ? draftLines(draft, {width: 2000, palette}).map(plainText) : [];
	};
	expect(drawn({command: `login ${value} now`}, 'run_command')).toEqual(['◌ Run login *** now …']);
	expect(drawn({path: 'a.ts', content: `const k = '${value}';\n`}, 'write_file')).toEqual([
		'◌ Write a.ts … 1 line',
		"  const k = '***';",
	]);
	expect(drawn({path: 'app/.env', content: 'DB_PASSWORD=hunter22\n'}, 'write_file')).toEqual([
		'◌ Write app/.env … 1 line',
	]);
	expect(drawn({content: 'DB_PASSWORD=hunter22\n'}, 'write_file')).toEqual(['◌ Write … 1 line']);
	drawn({query: 'a', password: 'hunter22'}, 'mcp_find');
	drawn({path: 'a.ts', content: `${value}${' b'.repeat(490)}`}, 'write_file');
	drawn({command: `${'b '.repeat(242)}${value}`}, 'run_command');
	const keyLines = `${'Ab1/'.repeat(16)}\n`.repeat(30);
	expect(drawn({path: 'a.yaml', content: `-----BEGIN PRIVATE KEY-----\n${keyLines}`}, 'write_file').slice(1)).toEqual([
		'  ***',
		'  ***',
		'  ***',
	]);
});
