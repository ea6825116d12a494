import {expect, test} from 'vitest';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {realApp} from './real-app.ts';

test('a mention is completed, attached under the message, and read again from the journal as it was sent', async () => {
	const {type, answer, waitFor, lastMessages, store} = await realApp({
		files: {'src/parser/lexer.ts': 'export const lex = 1;\n', 'src/other.ts': '', '.env': 'A=1'},
	});
	await waitFor('custom/alpha');
	type('explain @plex');
	await waitFor('❯ src/parser/lexer.ts');
	type('\t');
	await waitFor('explain @src/parser/lexer.ts');
	type('and @gone.ts and @.env\r');
	await answer('n');
	await waitFor('Understood.');
	await waitFor('└ src/parser/lexer.ts · 1 line · about');
	await waitFor('@gone.ts was not found. It stays text.');
	await waitFor('@.env is not attached');
	const [, sent] = lastMessages();
	expect(sent?.content).toContain(
		'explain @src/parser/lexer.ts and @gone.ts and @.env\n\n[The user attached src/parser',
	);
	expect(sent?.content).toContain('1\texport const lex = 1;');
	expect(toMessages(store.getState().transcript)[0]).toEqual({role: 'user', text: sent?.content});
});

test('Enter selects a suggestion, a folder stays open for more, and Esc leaves the text alone', async () => {
	const {type, waitFor, lastMessages, store} = await realApp({files: {'lib/deep/one.ts': '1', 'lib/two.ts': '2'}});
	await waitFor('custom/alpha');
	type('@lib');
	await waitFor('❯ lib/');
	type('\r');
	await waitFor('❯ @lib/');
	type('tw');
	await waitFor('❯ lib/two.ts');
	type('\u001b');
	await expect.poll(() => store.getState().completion).toBe(-1);
	type('o.ts \r');
	await waitFor('Understood.');
	expect(lastMessages().at(-1)?.content).toContain('1\t2');
});
