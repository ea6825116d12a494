import {expect, test} from 'vitest';
import {measureHouse, measureLimits} from '../.scripts/house.mjs';

const house = measureHouse();

test('an entry of a literal stands by itself, not in a literal that is spread', () => {
	expect(house.literalSpreads).toEqual([]);
});

test('a name of an exported type stands for one type', () => {
	expect(house.doubledTypes).toEqual([]);
});

test('no folder is there for one file', () => {
	expect(house.lonelyFolders).toEqual([]);
});

test('no test has a limit that ends what is only slow: the limits of all tests end what hangs', () => {
	expect(measureLimits()).toEqual([]);
});
