import {expect, test} from 'vitest';
import {normalizeRemote} from '../../src/core/git-remote.ts';

test.each([
	'git@example.com:team/app.git',
	'example.com:team/app',
	'ssh://git@EXAMPLE.com/team/app.git',
	'ssh://git@example.com:2222/team/app/',
	'https://Example.com/team/app',
	'https://ann:secret@example.com:8443/team/app.git',
	'git+ssh://git@example.com/team/app.git',
	'git://example.com/team/app.git',
])('%s names the same repository in every form, without its credentials', address => {
	expect(normalizeRemote(address)).toBe('example.com/team/app');
});

test.each([
	['/srv/git/app.git', 'file:/srv/git/app'],
	['file:///srv/git/app.git', 'file:/srv/git/app'],
	['https://example.com/Team/app', 'example.com/Team/app'],
	['../app', undefined],
	['C:\\app', undefined],
	['https://example.com/', undefined],
	['', undefined],
])('%s names %s', (address, name) => {
	expect(normalizeRemote(address)).toBe(name);
});
