// A value of a JSON document together with where it stands, so that an error
// names the place: "nodes[12].params[3].bytes: odd number of hex digits".
//
//   absl::Status error;
//   const JsonPlace root(document, error);
//   const JsonPlace grid = root.Member("grid");
//   const std::uint64_t x = grid.Element(0).Integer(1, 1024);
//   if (!error.ok()) return error;
//
// The first error of a document is kept and the readers then give zeros, so
// callers check where it suits them. A place points to the one it came from,
// which must outlive it; the text of a place is put together only when needed.
#ifndef REPRISE_CAPTURE_JSON_PLACE_H_
#define REPRISE_CAPTURE_JSON_PLACE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "capture/json_document.h"

namespace reprise {

class JsonPlace {
 public:
  // The whole document.
  JsonPlace(const Json& document, absl::Status& error)
      : value_(&document), error_(&error) {}
  JsonPlace(const JsonPlace&) = delete;
  JsonPlace& operator=(const JsonPlace&) = delete;

  // A member that has to be there. `key` must outlive the place.
  JsonPlace Member(absl::string_view key) const&;
  JsonPlace Member(absl::string_view key) const&& = delete;
  bool Has(absl::string_view key) const { return Find(key) != nullptr; }

  // The value has to be an array; Element REQUIRES index < ArraySize().
  std::size_t ArraySize() const;
  JsonPlace Element(std::size_t index) const&;
  JsonPlace Element(std::size_t index) const&& = delete;

  // Values of one type. An integer has neither fraction nor exponent.
  std::uint64_t Integer(std::uint64_t least, std::uint64_t most) const;
  bool Bool() const;
  absl::string_view Text() const;  // points into the document

  // The value itself; null after an error.
  const Json& value() const;

  // InvalidArgument with this place and `what`, unless there was an error.
  void Fail(absl::string_view what) const;
  bool ok() const { return error_->ok(); }

 private:
  JsonPlace(const JsonPlace& parent, const Json* value, absl::string_view key,
            std::size_t index)
      : parent_(&parent),
        value_(value),
        key_(key),
        index_(index),
        error_(parent.error_) {}

  const Json* Find(absl::string_view key) const;
  std::string Path() const;

  const JsonPlace* parent_ = nullptr;
  const Json* value_;      // null: missing, and reported as such
  absl::string_view key_;  // empty: an element
  std::size_t index_ = 0;
  absl::Status* error_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_JSON_PLACE_H_
