import {appendFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {appendPrompt, loadPromptHistory} from '../../src/storage/prompt-history-file.ts';
import {temporaryHome} from './temporary.ts';

test('prompts come back oldest first, line breaks and all, from a file for its owner alone [10]', async () => {
	const home = temporaryHome();
	expect(loadPromptHistory(home)).toEqual([]);
	await Promise.all(['one', 'two\nlines', '日本語'].map(text => appendPrompt(home, text)));
	await appendPrompt(home, 'last');
	await appendPrompt(home, 'last');
	await appendPrompt(home, ' \n');
	expect([...loadPromptHistory(home)].sort()).toEqual(['last', 'one', 'two\nlines', '日本語'].sort());
	expect(loadPromptHistory(home).at(-1)).toBe('last');
	expect(statSync(home.promptHistoryFile).mode & 0o777).toBe(0o600);
});

test('the newest 1,000 prompts are kept', async () => {
	const home = temporaryHome();
	const lines = Array.from({length: 1000}, (_, index) => JSON.stringify({text: `${index}`}));
	writeFileSync(home.promptHistoryFile, `${lines.join('\n')}\n`);
	await appendPrompt(home, 'newest');
	const prompts = loadPromptHistory(home);
	expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([1000, '1', 'newest']);
});

test('long prompts push old ones out, so that the file stays a small one', async () => {
	const home = temporaryHome();
	const lines = Array.from({length: 100}, (_, index) => JSON.stringify({text: `${index}`.padEnd(16_000, 'x')}));
	writeFileSync(home.promptHistoryFile, `${lines.join('\n')}\n`);
	await appendPrompt(home, 'newest');
	await appendPrompt(home, 'x'.repeat(20_000));
	const prompts = loadPromptHistory(home);
	expect(prompts.at(-1)).toBe('newest');
	expect(prompts.length).toBe(66);
	expect(statSync(home.promptHistoryFile).size).toBeLessThan(1024 * 1024 + 1);
});

test('lines that are not prompts are skipped and kept', async () => {
	const home = temporaryHome();
	appendFileSync(home.promptHistoryFile, '{"text":"good"}\nbroken{\n{"later":"version"}\n');
	await appendPrompt(home, 'next');
	expect(loadPromptHistory(home)).toEqual(['good', 'next']);
	expect(readFileSync(home.promptHistoryFile, 'utf8')).toContain('{"later":"version"}\n');
});
