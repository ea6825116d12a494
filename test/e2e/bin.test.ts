import {execFileSync} from 'node:child_process';
import {symlinkSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import {folderWith, program} from './program.ts';

test.each(Object.keys(packageJson.bin))('%s runs by its name, as npm links it', name => {
	const folder = folderWith();
	symlinkSync(program, join(folder, name));
	const PATH = [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
	const output = execFileSync(join(folder, name), ['--version'], {env: {PATH, HOME: folder}, encoding: 'utf8'});
	expect(output).toBe(`${packageJson.version}\n`);
});
