import { dialCodes } from '../step/dial-codes.js'
import { findErrors } from '../step/rules.js'

const main = document.querySelector('.main')
const stages = document.querySelectorAll('.indicator li')

main.addEventListener('submit', (event) => {
  event.preventDefault()
  if (!document.getElementById('first_name')) return
  const errors = findErrors(Object.fromEntries(new FormData(event.target)))
  for (const message of main.querySelectorAll('.error')) message.remove()
  for (const [name, message] of Object.entries(errors)) showError(document.getElementById(name), message)
  if (!Object.keys(errors).length) showNextStep()
})

function showError(input, message) {
  const error = document.createElement('p')
  error.className = 'error'
  error.textContent = message
  input.closest('.field').append(error)
}

function showNextStep() {
  const first = [...main.childNodes]
  main.replaceChildren(document.getElementById('second').content.cloneNode(true))
  stages[1].className = 'active'
  document.getElementById('progress').textContent = 'Step 2 of 3'
  main.querySelector('.quiet').addEventListener('click', () => {
    main.replaceChildren(...first)
    stages[1].className = ''
  })
}

const picker = document.querySelector('.dial select')
const [country, dialCode] = document.querySelectorAll('.dial-shown > :is(b, span)')

picker.addEventListener('change', () => {
  country.textContent = picker.value
  dialCode.textContent = /\+\d+/.exec(picker.selectedOptions[0].label)[0]
})

// Creating the names takes time, so it waits until the page is idle.
requestIdleCallback(() => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  const countries = dialCodes
    .split(' ')
    .map((entry) => [`${names.of(entry.slice(0, 2))} (+${entry.slice(2)})`, entry.slice(0, 2)])
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
  picker.replaceChildren(...countries.map(([label, code]) => new Option(label, code, false, code === 'US')))
})
