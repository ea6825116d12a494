import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {inEffect} from '../../../src/agent/project/project.ts';
import {createTrustQuestions} from '../../../src/ui/panels/trust-questions.ts';
import {paths, repository} from '../../agent/project/repository.ts';

/** Answers the questions of an app in a folder with instructions. The state of the program can't be written while `blocked`. */
function asked(answer: 'yes' | undefined) {
	const {project, stateFolder, homeFolder, open} = repository({'AGENTS.md': 'Be brief.'});
	const lock = join(stateFolder, 'trust.json.lock');
	const told: string[] = [];
	const questions = createTrustQuestions({
		project,
		homeFolder,
		interact: {inquire: async () => answer},
		warn: text => told.push(text),
		tell: text => told.push(text),
	});
	mkdirSync(join(lock, 'of another program'), {recursive: true});
	return {project, open, questions, told, free: () => rmSync(lock, {recursive: true})};
}

test('[12] an answer that cannot be saved holds until the app ends, and does not stop the message', async () => {
	const {project, open, questions, told, free} = asked('yes');
	await questions.ask('a');
	expect(told).toEqual([
		expect.stringMatching(/^Your answer was not saved, so it holds only until you quit\. Cannot lock /),
		'Trusted until you quit: AGENTS.md.',
	]);
	expect(paths(inEffect(await project.load()))).toEqual(['AGENTS.md']);
	expect(inEffect(await open().load())).toEqual([]);
	free();
	await project.decide(true, []);
	expect(paths(inEffect(await open().load()))).toEqual(['AGENTS.md']);
});

test('[12] a refusal that cannot be saved is not asked about again', async () => {
	const {project, questions, told} = asked(undefined);
	await questions.ask('a');
	await questions.ask('b');
	expect(told.filter(text => text.startsWith('Your answer'))).toHaveLength(1);
	expect(inEffect(await project.load())).toEqual([]);
});
