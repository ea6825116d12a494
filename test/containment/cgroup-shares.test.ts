import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createCgroup} from '../../src/containment/cgroup.ts';
import {findCgroupLocation} from '../../src/containment/cgroup-location.ts';
import {standardPath} from '../../src/server/sandboxes/local-launch.ts';

const location = await findCgroupLocation(standardPath.join(':'));
const folders = location?.kind === 'folders' && location.cpu !== undefined ? location : undefined;
const reason = folders ? '' : ' (skipped: no control groups with processors here)';

test.skipIf(!folders)(
	`each sandbox gets the same share of the processors, however many processes it has${reason}`,
	() => {
		const shares = [1, 2].map(() => {
			const group = folders && createCgroup(folders, randomUUID(), {memoryBytes: 64 * 1024 ** 2, processes: 16});
			onTestFinished(() => void group?.remove());
			const files = (group?.folders ?? []).flatMap(folder =>
				['cpu.weight', 'cpu.shares'].map(name => join(folder, name)),
			);
			return files.filter(existsSync).map(file => readFileSync(file, 'utf8').trim());
		});
		expect(shares[0]).toHaveLength(1);
		expect(shares[1]).toEqual(shares[0]);
	},
);
