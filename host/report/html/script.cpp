#include "report/html/script.h"

namespace judge::html {

const char* const kScript = R"js(
'use strict';
const root = document.documentElement;

// Theme: that of the system, until the button is pressed.
const button = document.getElementById('theme');
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark'
                                        : matchMedia('(prefers-color-scheme: dark)').matches;
const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
try {
  const kept = localStorage.getItem('compare-theme');
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
} catch (error) { /* no storage for files here */ }
button.hidden = false;
name();
button.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  try { localStorage.setItem('compare-theme', root.dataset.theme); } catch (error) { /* as above */ }
  name();
});

// Tables: a click on a heading sorts by its column, another one the other way round.
const units = {us: 1e-3, s: 1e3};
function keyOf(cell) {
  const text = cell.firstChild ? cell.firstChild.textContent.trim() : '';
  const match = /^(?:≈ )?([-+]?\d[\d.]*(?:e[-+]?\d+)?)(x| ?[a-zA-Z%°]+)?(?: |$)/.exec(text);
  if (!match) return text;
  const unit = (match[2] || '').trim();
  return unit === 'x' ? 100 * (match[1] - 1) : match[1] * (units[unit] || 1);  // "2.20x" stands beside "+80.0 %"
}
function order(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return 1;
  if (typeof b === 'number') return -1;
  return a.localeCompare(b, 'en', {numeric: true});
}
function sort(table, column, heading) {
  const descending = heading.getAttribute('aria-sort') === 'ascending';
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const rows = [...table.tBodies[0].rows].map(row => [keyOf(row.cells[column]), row]);
  rows.sort((x, y) => descending ? order(y[0], x[0]) : order(x[0], y[0]));
  table.tBodies[0].append(...rows.map(pair => pair[1]));
}
for (const table of document.querySelectorAll('table')) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const press = document.createElement('button');
    press.append(...heading.childNodes);
    heading.append(press);
    press.addEventListener('click', () => sort(table, column, heading));
  });
}

// The table of all rows: only those that hold each word.
const filter = document.getElementById('filter');
if (filter) {
  filter.closest('p').hidden = false;
  const rows = [...document.getElementById('all-rows').tBodies[0].rows];
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    document.getElementById('shown').textContent = words.length ? `${shown} of ${rows.length}` : '';
  };
  filter.addEventListener('input', show);
  show();
}

// What is said of a mark, at once and readable, in place of the browser's own.
const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
tip.setAttribute('role', 'presentation');
document.body.append(tip);
for (const title of document.querySelectorAll('svg title')) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
document.addEventListener('pointermove', event => {
  const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = Math.max(8, Math.min(event.clientX + 14, room)) + 'px';
  tip.style.top = (event.clientY + 18) + 'px';
});

// On paper nothing can be opened.
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details:not(.source)')) part.open = true;
});
)js";

}  // namespace judge::html
