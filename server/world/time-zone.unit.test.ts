import { expect, test } from 'vitest'
import { dayIn } from '#contract/days.ts'
import { startOfDay } from './time-zone.ts'

test.each([
  ['UTC', '2026-11-17T23:59:59.999Z', '2026-11-17'],
  ['Pacific/Kiritimati', '2026-11-17T10:00:00Z', '2026-11-18'], // +14
  ['Pacific/Niue', '2026-11-18T10:59:00Z', '2026-11-17'], // -11
  ['America/New_York', '2026-03-08T04:59:59Z', '2026-03-07'],
  ['Asia/Kathmandu', '2026-01-01T18:15:00Z', '2026-01-02'], // +5:45
])('17.2 in %s it is %s on %s', (zone, time, day) => expect(dayIn(zone, new Date(time))).toBe(day))

test.each([
  ['UTC', '2026-11-17', '2026-11-17T00:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-18', '2026-11-17T10:00:00.000Z'],
  ['Pacific/Niue', '2026-11-17', '2026-11-17T11:00:00.000Z'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'], // the clocks change later that day
  ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
  ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'], // midnight does not exist: the clocks go to 01:00
  ['Asia/Kathmandu', '2026-01-02', '2026-01-01T18:15:00.000Z'],
])('17.2 in %s the day %s begins at %s', (zone, day, start) => {
  expect(startOfDay(zone, day).toISOString()).toBe(start)
  expect(dayIn(zone, startOfDay(zone, day))).toBe(day)
  expect(dayIn(zone, new Date(startOfDay(zone, day).getTime() - 1)) < day).toBe(true)
})

test('17.2 every day of a year begins after the one before, in every zone', () => {
  for (const zone of ['America/Los_Angeles', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Havana', 'Asia/Beirut'])
    for (let day = 0; day < 365; day++) {
      const name = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
      expect([zone, dayIn(zone, startOfDay(zone, name))]).toEqual([zone, name])
    }
})
