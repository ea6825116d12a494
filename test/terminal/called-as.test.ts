import {chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {calledAs} from '../../src/terminal/called-as.ts';
import {temporaryFolder} from '../storage/temporary.ts';

/** The program in a package of its own, a folder on the path with links to it, and one in front with other programs. */
function installed(links: readonly string[] = [], others: readonly string[] = []) {
	const root = realpathSync(temporaryFolder());
	const [folder, own, system] = ['package', 'bin', 'sbin'].map(name => join(root, name)) as [string, string, string];
	for (const place of [join(folder, 'dist'), own, system]) {
		mkdirSync(place, {recursive: true});
	}

	const script = join(folder, 'dist/service.js');
	const files = [script, ...others.map(name => join(system, name))];
	for (const file of files) {
		writeFileSync(file, '#!/bin/sh\n');
		chmodSync(file, 0o755);
	}

	writeFileSync(join(folder, 'package.json'), '{}');
	for (const name of links) {
		symlinkSync(script, join(own, name));
	}

	return {script, folder, own, env: {PATH: [system, own].join(delimiter)}};
}

test('the name is used if the shell finds this program by it', () => {
	const {script, own, env} = installed(['service', 'svc']);
	expect(calledAs({script: join(own, 'svc'), env, folder: '/'})).toBe('svc');
	expect(calledAs({script: join(own, 'service'), env, folder: '/'})).toBe('service');
	expect(calledAs({script, env, folder: '/'})).toBe('service');
});

test('the name of another program is not used: Debian has its own service', () => {
	const {own, env} = installed(['service', 'svc'], ['service']);
	expect(calledAs({script: join(own, 'service'), env, folder: '/'})).toBe('svc');
	const alone = installed(['service'], ['service']);
	expect(calledAs({script: join(alone.own, 'service'), env: alone.env, folder: '/elsewhere'})).toBe(
		join(alone.own, 'service'),
	);
});

test('without a name the path is used, as short as it can be typed in this folder', () => {
	const {script, folder} = installed();
	expect(calledAs({script, env: {}, folder})).toBe('node dist/service.js');
	expect(calledAs({script, env: {}, folder: '/elsewhere'})).toBe(`node ${script}`);
	expect(calledAs({script, env: {_: './dist/service.js'}, folder})).toBe('dist/service.js');
	expect(calledAs({script, env: {_: './service.js'}, folder: join(folder, 'dist')})).toBe('./service.js');
	expect(calledAs({script, env: {_: process.execPath}, folder: join(folder, 'dist')})).toBe('node service.js');
	expect(calledAs({script: '/a b/it’s/service.js', env: {}, folder: '/elsewhere'})).toBe("node '/a b/it’s/service.js'");
});

test('the words of a package manager are used only for our own package', () => {
	const {script, folder, env} = installed(['service']);
	const start = {...env, npm_lifecycle_event: 'start', npm_package_json: join(folder, 'package.json')};
	expect(calledAs({script, env: start, folder})).toBe('npm start --');
	expect(calledAs({script, env: {...start, npm_config_user_agent: 'pnpm/9.1.0 npm/? node/v20'}, folder})).toBe(
		'pnpm start',
	);
	expect(calledAs({script, env: {...start, npm_package_json: '/other/package.json'}, folder})).toBe('service');
	expect(calledAs({script, env: {...env, npm_lifecycle_event: 'npx'}, folder})).toBe('npx service');
	expect(calledAs({script, env: {...env, npm_lifecycle_event: 'test'}, folder})).toBe('service');
});
