import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {chatSchema} from '../../../../src/server/demo-model/chat.ts';
import {replyTo} from '../../../../src/server/demo-model/reply.ts';
import {temporaryFolder} from '../../../storage/temporary.ts';
import {play} from './play.ts';

type Edit = {readonly old_text: string; readonly new_text: string};

/** Runs calls on a real folder. */
function folderTools(folder: string) {
	return async ({name, arguments: args}: {name: string; arguments: object}) => {
		const {path = '', content = '', command = '', edits = []} = args as Record<string, never>;
		const file = join(folder, path);
		switch (name) {
			case 'list_files': {
				const project = join(folder, 'service-demo');
				const found = existsSync(project) ? readdirSync(project).map(name => `service-demo/${name}`) : [];
				return found.length > 0 ? found.join('\n') : '[none of 0 files matches]';
			}
			case 'read_file':
				return existsSync(file) ? `1\t${readFileSync(file, 'utf8')}` : `File not found: “${path}”.`;
			case 'write_file':
				mkdirSync(dirname(file), {recursive: true});
				writeFileSync(file, content);
				return `Created ${path} (+1 -0 lines).`;
			case 'edit_file': {
				const [edit] = edits as readonly Edit[];
				writeFileSync(file, readFileSync(file, 'utf8').replace(edit?.old_text ?? '', edit?.new_text ?? ''));
				return `Changed ${path} (+1 -1 lines).`;
			}
			default: {
				const {NODE_TEST_CONTEXT: _, ...env} = process.env;
				const {stdout, status} = spawnSync('sh', ['-c', command], {cwd: folder, env, encoding: 'utf8'});
				return `${stdout}\n[exit status ${status}]`;
			}
		}
	};
}

const prompt = 'fix the failing test';
const names = (calls: readonly {name: string}[]) => calls.map(({name}) => name);

test('the demo model writes its project, sees a test fail, fixes it, and sees all tests pass', async () => {
	const run = folderTools(temporaryFolder());
	const first = await play(prompt, run);
	expect(names(first.calls)).toEqual([
		...['list_files', 'write_file', 'write_file'],
		...['run_command', 'edit_file', 'run_command'],
	]);
	expect(first.text).toContain('All tests pass now.');

	const second = await play(prompt, run);
	expect(names(second.calls)).toEqual(['list_files', 'read_file', 'read_file', 'run_command']);
	expect(second.text).toContain('nothing to fix');
});

test('the demo model works on an accepted plan', () => {
	const messages = [
		{role: 'user', content: prompt},
		{role: 'assistant', content: 'I would fix it.'},
		{role: 'user', content: 'Carry out the plan.'},
	];
	const {calls} = replyTo(chatSchema.parse({model: 'demo', messages, tools: [{function: {name: 'list_files'}}]}));
	expect(names(calls)).toEqual(['list_files']);
});

test.each(['write_file', 'run_command', 'edit_file'])(
	'the demo model stops once %s is refused, and says so',
	async refused => {
		const run = folderTools(temporaryFolder());
		const {calls, text} = await play(prompt, async call =>
			call.name === refused ? 'The user did not allow this.' : run(call),
		);
		expect(names(calls).at(-1)).toBe(refused);
		expect(text).toMatch(/I’m stopping here: .* The tool said: `The user did not allow this\.`/);
	},
);

test('without a tool to run commands, the demo model says that it needs one', async () => {
	const {text} = await play(prompt, async () => '[no files]', [{function: {name: 'list_files'}}]);
	expect(text).toMatch(/offered me none/);
});
