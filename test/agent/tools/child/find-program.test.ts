import {mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {findProgram} from '../../../../src/agent/tools/child/find-program.ts';
import {temporaryFolder} from '../../../storage/temporary.ts';

test('Windows searches a program only in the folders of PATH, never in the working folder [15]', () => {
	const folder = temporaryFolder();
	for (const name of ['project', 'tools', 'empty']) {
		mkdirSync(join(folder, name));
	}

	writeFileSync(join(folder, 'project', 'git.exe'), '');
	writeFileSync(join(folder, 'tools', 'git.exe'), '');
	const path = ['.', '', 'project', join(folder, 'empty'), join(folder, 'tools')].join(delimiter);
	expect(findProgram('git', {Path: path}, 'win32')).toBe(join(folder, 'tools', 'git.exe'));
	expect(findProgram('git', {PATH: join(folder, 'empty')}, 'win32')).toBeUndefined();
	expect(findProgram('git', {}, 'win32')).toBeUndefined();
	expect(findProgram('/opt/rg', {}, 'win32')).toBe('/opt/rg');
});

test('other systems search for it themselves', () => {
	expect(findProgram('git', {}, 'linux')).toBe('git');
});
