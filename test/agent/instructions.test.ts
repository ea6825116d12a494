import {expect, test} from 'vitest';
import {instructions} from '../../src/agent/instructions.ts';
import {createFolderTools} from '../../src/agent/tools/tools.ts';

const situation = {workspace: '/home/a/project', date: '2025-01-31', platform: 'linux'};

test('the instructions name the folder, the date, the platform and the tools', () => {
	const text = instructions({...situation, tools: createFolderTools({stateFolder: '/home/a/.service'})});
	expect(text).toContain('Working folder: /home/a/project\nDate: 2025-01-31\nPlatform: linux');
	expect(text).toContain(
		'You have these tools: list_files, read_file, search_text, edit_file, write_file, run_command, ',
	);
	expect(text.length).toBeLessThan(2000);
});

test('the instructions ask for a plan in plan mode only', () => {
	const plan = 'Plan mode is on: change and run nothing now.';
	expect(instructions({...situation, tools: [], isPlanning: true})).toContain(plan);
	expect(instructions({...situation, tools: []})).not.toContain(plan);
});

test('the instructions say that there are no tools', () => {
	expect(instructions({...situation, tools: []})).toContain('You have no tools');
});
