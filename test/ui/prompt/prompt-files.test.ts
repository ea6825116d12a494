import {expect, test} from 'vitest';
import {write} from '../../agent/project/repository.ts';
import {realApp} from './real-app.ts';

const review = '---\ndescription: Review a file\nargument-hint: <file> [focus]\n---\nReview $1 with a focus on $2.';

test('a prompt file of the user is a slash command that completes and sends its text with arguments', async () => {
	const {type, waitFor, lastMessages} = await realApp({own: {'prompts/review.md': review}});
	await waitFor('custom/alpha');
	type('/revi');
	await waitFor('Review a file (your prompt)');
	type('\t');
	await waitFor('❯ /review');
	type(`a.ts "it's late"\r`);
	await waitFor('Understood.');
	expect(lastMessages().at(-1)).toEqual({role: 'user', content: "Review a.ts with a focus on it's late."});
	type('/help review\r');
	await waitFor('Usage: /review <file> [focus]');
});

test('a prompt file of the project works only after the user trusts it, and a changed one no longer [12]', async () => {
	const {type, answer, waitFor, host, folder, lastMessages} = await realApp({
		files: {'.service/prompts/ship.md': 'Ship it: $ARGUMENTS'},
	});
	await waitFor('Trust these files?');
	await answer('n');
	await waitFor('Not trusted, so not used: .service/prompts/ship.md');
	type('/ship now\r');
	await waitFor('Unknown command “ship”');
	expect(host.received.filter(({path}) => path.endsWith('/chat/completions'))).toEqual([]);
	type('\u0015/trust add\r');
	await answer('y');
	await waitFor('19 B  trusted');
	type("/ship don't wait\r");
	await waitFor('Understood.');
	expect(lastMessages().at(-1)).toEqual({role: 'user', content: "Ship it: don't wait"});
	write(folder, {'.service/prompts/ship.md': 'Delete everything'});
	type('/ship again\r');
	await waitFor('Unknown command “ship”.');
	expect(lastMessages().at(-1)).toEqual({role: 'user', content: "Ship it: don't wait"});
});

test('a prompt file with the name of a built-in command is named once, and the command stays', async () => {
	const {type, waitFor, lines, settle} = await realApp({
		own: {'prompts/usage.md': 'Use it', 'prompts/quit.md': 'Quit it'},
	});
	await waitFor('custom/alpha');
	const notes = () => lines().filter(line => line.includes('The prompt file “usage” is not available'));
	// A built-in command does not wait for files: they are named with the first one after they were read.
	for (let sent = 0; sent < 200 && notes().length === 0; sent++) {
		type('/usage\r');
		await waitFor('Usage of this session');
		await settle();
	}

	expect(notes()).toHaveLength(1);
	type('/usage\r');
	await settle();
	expect(notes()).toHaveLength(1);
});
