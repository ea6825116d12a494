import {updateSmallFile} from '../../src/storage/kept-file.ts';

// Run as a process of its own by kept-file.test.ts: adds `count` lines to `path`, one update each.
const [path = '', name = '', count = '0'] = process.argv.slice(2);
for (let index = 0; index < Number(count); index += 1) {
	await updateSmallFile(path, text => `${text ?? ''}${name}-${index}\n`);
}
