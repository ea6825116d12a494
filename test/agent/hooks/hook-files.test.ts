import {chmodSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {hookFiles} from '../../../src/agent/hooks/hook-files.ts';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import {createRunCommand} from '../../../src/agent/tools/run-command.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {makeWorkspace} from '../tools/workspace.ts';

const files = {
	'scripts/check.sh': 'exit 0\n',
	'lint.mjs': '// lints\n',
	'bin/run': 'true\n',
	'package.json': '{}\n',
};

async function withHooks() {
	const made = await makeWorkspace(files);
	const {workspace} = made;
	chmodSync(join(workspace, 'bin/run'), 0o755);
	const hooks = [
		{command: './scripts/check.sh --all && node "lint.mjs" package.json; (bin/run)'},
		{command: 'missing.sh'},
	];
	const inHooks = hookFiles(hooks, workspace);
	return {...made, inHooks, places: {stateFolder: made.stateFolder, hookFiles: () => inHooks}};
}

test('finds the programs and scripts that hooks name, and no other files', async () => {
	const {inHooks, workspace} = await withHooks();
	expect(inHooks).toEqual(['scripts/check.sh', 'lint.mjs', 'bin/run'].map(path => join(workspace, path)));
});

test('[12] what a hook starts is edited in no mode, because it runs outside of every sandbox', async () => {
	const {context, places, workspace} = await withHooks();
	const allowing = {...context, approve: async () => ({allowed: true}) as const};
	const write = createWriteFile(places);
	await expect(write.run({path: 'scripts/check.sh', content: 'evil\n'}, allowing)).rejects.toThrow('is protected');
	expect(readFileSync(join(workspace, 'scripts/check.sh'), 'utf8')).toBe('exit 0\n');
});

test.skipIf(!hasBubblewrap)(`[12] nor does a command in the sandbox change it${skipped}`, async () => {
	const {context, places, workspace} = await withHooks();
	const session = createCommandSession({places});
	const allowing = {...context, approve: async () => ({allowed: true}) as const};
	try {
		const command =
			'mv scripts s && cp -r s scripts; echo evil > scripts/check.sh; echo evil > lint.mjs; rm bin/run; echo {} > package.json';
		await createRunCommand(session).run({command}, allowing);
	} finally {
		await session.end();
	}

	expect(Object.keys(files).map(path => readFileSync(join(workspace, path), 'utf8'))).toEqual(
		Object.values(files).map(text => text),
	);
});
