/** In a page: the contrast of each field's border with what is outside of it, or with what is inside, the lower. Source: WCAG 2.2, 1.4.11. */
(function contrastOfFields() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  const behind = (element) => {
    const colour = rgb(getComputedStyle(element).backgroundColor)
    return colour[3] === 0 ? behind(element.parentElement) : colour
  }
  const fields = document.querySelectorAll(':is(main, .host-content) :is(input, select, textarea):not([type=hidden])')
  return [...fields].map((field) => {
    const border = rgb(getComputedStyle(field).borderTopColor)
    return Math.min(contrast(border, behind(field)), contrast(border, behind(field.parentElement)))
  })
})
